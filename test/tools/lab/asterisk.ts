import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { until } from '../until.ts';
import { connectAmi } from './ami.ts';
import { atExit } from './at-exit.ts';
import { configFiles, managerUsers } from './config.ts';
import { install, type Version } from './install.ts';
import { claimPorts, type PortBlock } from './ports.ts';

/** A running Asterisk, all on 127.0.0.1, that shares no port and no writable folder with any other. */
export type Pbx = {
  readonly version: Version;
  /** Such as `22.10.1`. */
  readonly release: string;
  readonly ports: PortBlock;
  /** Where its cdr-csv/Master.csv is, as this machine sees it. */
  readonly cdrFile: string;
  /** Where its cdr_sqlite3_custom keeps its database, if it does. */
  readonly cdrDatabase: string;
  /** What Asterisk wrote into `cdrFile` so far; '' if nothing. */
  cdr(): Promise<string>;
  /** Its log, for when something went wrong. */
  log(): Promise<string>;
  /** Takes the process away at once, as a power cut would (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again after `kill`: same ports, same folders. */
  restart(): Promise<void>;
  /** Ends it and removes its folders. Harmless if repeated. */
  stop(): Promise<void>;
};

type Files = Readonly<Record<string, string>>;

/** Starts an Asterisk of this version, installing it first where needed. Ready for calls when it resolves. */
export async function start(
  version: Version,
  options: {
    readonly dialplan: (ports: PortBlock) => string;
    /** Configuration files in place of the lab's, or beside them, by name. */
    readonly files?: Files | ((ports: PortBlock) => Files);
    /** Modules that a lab loads only where it is asked to. */
    readonly modules?: readonly string[];
  },
): Promise<Pbx> {
  const tree = await install(version);
  await removeLeftovers(tree.root);
  const ports = await claimPorts();
  const name = `/lab/pbx-${process.pid}-${ports.sip}`;
  const outside = (inside: string) => path.join(tree.root, inside);
  const folders = { etc: `${name}/etc`, state: `${name}/state`, log: `${name}/log`, run: `${name}/run` };
  const owner = asteriskUser(tree.root);
  for (const dir of [...Object.values(folders), `${folders.log}/cdr-csv`, `${folders.state}/cache`]) {
    await mkdir(outside(dir), { recursive: true });
  }
  const modules = modulesFolder(tree.root);
  const chanSip = readdirSync(outside(modules)).includes('chan_sip.so');
  const ours = configFiles({
    ports,
    folders,
    modules,
    chanSip,
    dialplan: options.dialplan(ports),
    wanted: options.modules ?? [],
  });
  const own = typeof options.files === 'function' ? options.files(ports) : options.files;
  const files = { ...ours, ...own };
  for (const [file, text] of Object.entries(files)) await writeFile(outside(`${folders.etc}/${file}`), text);
  await giveTo(outside(name), owner);
  await nameHost(tree.root);

  let child: ChildProcess | undefined;
  const boot = async () => {
    // Killed with this process, however that ends. A change of user would undo that, so it comes first; the new
    // user may then still chroot.
    const user = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
    const mayChroot = ['--inh-caps=+sys_chroot', '--ambient-caps=+sys_chroot'];
    const inTree = ['chroot', tree.root, 'asterisk', '-f', '-C', `${folders.etc}/asterisk.conf`];
    const args = [...user, ...mayChroot, '--pdeathsig=KILL', ...inTree];
    // ODBC looks databases up in the lab's own file.
    const env = { PATH: process.env.PATH, ODBCINI: `${folders.etc}/odbc.ini` };
    child = spawn('setpriv', args, { stdio: 'ignore', env });
    await untilReady(child, ports.ami);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => child?.kill('SIGKILL'), 5000);
    await gone;
    clearTimeout(late);
  };
  const stop = async () => {
    await end('SIGTERM');
    ports.release();
    await rm(outside(name), { recursive: true, force: true });
  };
  const forget = atExit(() => {
    child?.kill('SIGKILL');
    rmSync(outside(name), { recursive: true, force: true });
  });

  const cdrFile = outside(`${folders.log}/cdr-csv/Master.csv`);
  const pbx: Pbx = {
    version,
    release: tree.release,
    ports,
    cdrFile,
    cdrDatabase: outside(`${folders.log}/master.db`),
    cdr: () => readFile(cdrFile, 'utf8').catch(() => ''),
    log: () => readFile(outside(`${folders.log}/full`), 'utf8').catch(() => ''),
    kill: () => end('SIGKILL'),
    restart: boot,
    async stop() {
      await stop();
      forget();
    },
  };
  try {
    await boot();
  } catch (error) {
    const said = await pbx.log();
    await pbx.stop();
    throw new Error(`Asterisk ${version} did not start: ${error}\n${said.split('\n').slice(-20).join('\n')}`);
  }
  return pbx;
}

/** Ready when the driver may log in and Asterisk says that it is fully booted. */
async function untilReady(child: ChildProcess, port: number): Promise<void> {
  let last: unknown;
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    return fullyBooted(port).then(
      () => true,
      (error) => {
        last = error;
        return false;
      },
    );
  };
  await until('Asterisk is fully booted', isReady, { state: () => last });
}

async function fullyBooted(port: number): Promise<void> {
  const { name, secret } = managerUsers.driver;
  const booted = Promise.withResolvers<void>();
  const ami = await connectAmi({
    port,
    username: name,
    secret,
    onEvent: ({ fields }) => fields.Event === 'FullyBooted' && booted.resolve(),
  });
  await booted.promise;
  ami.close();
}

/** Asterisk looks its own host up at every call: it must find it at once, not ask a name server. */
async function nameHost(root: string): Promise<void> {
  const file = path.join(root, 'etc/hosts');
  const names = `127.0.0.1 localhost ${hostname()} A.ROOT-SERVERS.NET\n`;
  if ((await readFile(file, 'utf8').catch(() => '')) !== names) await writeFile(file, names);
}

/** Folders of labs whose process is gone without having tidied up. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(path.join(root, 'lab'))) {
    const owner = /^pbx-(\d+)-/.exec(name)?.[1];
    if (owner && !isRunning(Number(owner)))
      await rm(path.join(root, 'lab', name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function asteriskUser(root: string): { uid: number; gid: number } {
  const line = /^asterisk:[^:]*:(\d+):(\d+):/m.exec(readFileSync(path.join(root, 'etc/passwd'), 'utf8'));
  if (!line) throw new Error(`no user asterisk in ${root}`);
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

async function giveTo(dir: string, owner: { uid: number; gid: number }): Promise<void> {
  await chown(dir, owner.uid, owner.gid);
  for (const entry of await readdir(dir, { recursive: true }))
    await chown(path.join(dir, entry), owner.uid, owner.gid);
}

function modulesFolder(root: string): string {
  const conf = readFileSync(path.join(root, 'etc/asterisk/asterisk.conf'), 'utf8');
  const dir = /^\s*astmoddir\s*=>\s*(\S+)/m.exec(conf)?.[1];
  if (!dir) throw new Error(`the tree at ${root} does not say where its modules are`);
  return dir;
}
