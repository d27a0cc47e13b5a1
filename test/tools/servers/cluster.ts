import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { installPackages } from '../debian.ts';
import { freePort } from '../free-port.ts';
import { atExit } from '../lab/at-exit.ts';
import { until } from '../until.ts';

/** A PostgreSQL server of our own: its data in a folder of its own, as a user of its own, on a port of its own. */
export type Cluster = {
  readonly port: number;
  /** The address of a database, for the service's role unless another is named. */
  url(database?: string, role?: string): string;
  /** Makes an empty database for one test; gives its address. */
  database(): Promise<string>;
  /** Runs statements as the superuser. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>;
  /** Sends a signal to all of the server's processes. */
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL to every process of the server at once, as the power would. */
  kill(): Promise<void>;
  /** Starts it (again); resolves when it takes connections. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Runs a program of PostgreSQL as the server's user. */
  run(program: string, ...args: string[]): string;
  /** Makes another server that follows this one; not started. */
  standby(name: string): Promise<Cluster>;
  readonly dataDir: string;
  remove(): Promise<void>;
};

const binaries = () => globSync('/usr/lib/postgresql/*/bin').sort(byVersion).at(-1);
const versionOf = (path: string) => Number(/postgresql\/(\d+)/.exec(path)?.[1]);
const byVersion = (a: string, b: string) => versionOf(a) - versionOf(b);

const packages = {
  '/usr/lib/postgresql': 'postgresql',
  '/usr/sbin/nginx': 'nginx-light',
  '/usr/sbin/pgbouncer': 'pgbouncer',
};

/** Why there can be no PostgreSQL on this machine, in one line; undefined if there can, and then it is there. */
export async function postgresImpossible(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `PostgreSQL: it needs Linux, this is ${process.platform}`;
  if (Object.keys(packages).every((file) => existsSync(file))) return undefined;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return 'PostgreSQL: postgresql, nginx-light and pgbouncer are not installed, and only root on Debian can do that';
  await installPackages(packages);
  return undefined;
}

/** PostgreSQL refuses to run as root. */
export function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = (/^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0] ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

const SERVICE_ROLE = 'pbx';

/** Makes and starts one. The disk is a real one: everything is fsynced. */
export async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-postgres-'));
  const forget = atExit(() => rmSync(folder, { recursive: true, force: true }));
  const user = unprivileged();
  if (user.uid !== undefined) execFileSync('chown', [`${user.uid}:${user.gid}`, folder]);
  const dataDir = join(folder, 'data');
  const initdb = [
    '--pgdata',
    dataDir,
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
  ];
  execFileSync(join(binaries() as string, 'initdb'), [...initdb, '--no-sync'], { ...user, stdio: 'pipe' });
  const cluster = await clusterIn(folder, dataDir, settings, forget);
  await cluster.start();
  await cluster.sql(`CREATE ROLE ${SERVICE_ROLE} LOGIN PASSWORD 'secret' REPLICATION`);
  return cluster;
}

async function clusterIn(
  folder: string,
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  forget: () => void,
): Promise<Cluster> {
  const user = unprivileged();
  const port = await freePort();
  const program = (name: string) => join(binaries() as string, name);
  let server: ChildProcess | undefined;
  let chosen = { ...settings };
  let stopTaking = () => {};
  const standbys: Cluster[] = [];

  const url = (database = 'postgres', role = SERVICE_ROLE) =>
    `postgres://${role}:secret@127.0.0.1:${port}/${database}`;

  async function sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url(database, 'postgres') });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** The server and its children; backends are in sessions of their own. */
  function processes(): number[] {
    const pid = server?.pid;
    if (pid === undefined) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.trim().split(/\s+/).filter(Boolean).map(Number)];
  }

  const signal = (which: NodeJS.Signals) => {
    for (const pid of processes()) {
      try {
        process.kill(pid, which);
      } catch {
        // A backend that has just ended.
      }
    }
  };

  async function gone(): Promise<void> {
    if (server !== undefined && server.exitCode === null && server.signalCode === null)
      await once(server, 'exit');
    stopTaking();
    server = undefined;
  }

  /** Undefined when it takes connections, or what it said before it ended. */
  async function launch(): Promise<string | undefined> {
    const all: Record<string, string> = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: folder,
      shared_buffers: '32MB',
      max_connections: '100',
      logging_collector: 'off',
      ...chosen,
    };
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    rmSync(join(dataDir, 'postmaster.pid'), { force: true });
    const mine = spawn(program('postgres'), ['-D', dataDir, ...options], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = mine;
    let said = '';
    mine.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000);
    });
    stopTaking();
    stopTaking = atExit(() => mine.kill('SIGKILL'));
    const isUp = () =>
      sql('SELECT 1').then(
        () => 'up',
        () => (mine.exitCode ?? mine.signalCode) !== null && 'ended',
      );
    return (await until('PostgreSQL to answer', isUp, { state: () => said })) === 'up' ? undefined : said;
  }

  const cluster: Cluster = {
    port,
    dataDir,
    url,
    sql,
    signal,
    async database() {
      const name = `t_${randomBytes(6).toString('hex')}`;
      await sql(`CREATE DATABASE ${name} OWNER ${SERVICE_ROLE}`);
      return url(name);
    },
    async kill() {
      signal('SIGKILL');
      await gone();
    },
    async start(changed = {}) {
      chosen = { ...chosen, ...changed };
      // A backend that outlives a kill by a moment still holds the memory, and ends by itself.
      let fault = await launch();
      for (let tries = 0; tries < 100 && fault?.includes('pre-existing shared memory block'); tries += 1)
        fault = await launch();
      if (fault !== undefined) throw new Error(`PostgreSQL did not start:\n${fault}`);
    },
    run: (name, ...args) => execFileSync(program(name), args, { ...user, stdio: 'pipe', encoding: 'utf8' }),
    async standby(name) {
      const other = join(folder, name);
      const address = url('postgres').replace('/postgres', '');
      cluster.run(
        'pg_basebackup',
        '-d',
        `${address}/?application_name=${name}`,
        '-D',
        other,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '--no-sync',
      );
      writeFileSync(
        join(other, 'postgresql.auto.conf'),
        `primary_conninfo = '${address}/?application_name=${name}'\n`,
      );
      const standby = await clusterIn(folder, other, chosen, () => {});
      standbys.push(standby);
      return standby;
    },
    async remove() {
      // They write into this folder, too. It may stand still, and its data is not needed.
      for (const each of [...standbys, cluster]) await each.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
      forget();
    },
  };
  return cluster;
}
