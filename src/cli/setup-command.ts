import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockFolder } from '../shared/storage/instance-lock.ts';
import { StorageRefused } from '../shared/storage/storage-error.ts';
import { tryListen } from './check/machine-findings.ts';
import { type Context, exitCodes } from './command-context.ts';
import { settingsIn, withoutSettings, withSettings } from './config/edit-settings.ts';
import { bridgeSections, EXIT_CONFIG, knownSettings, loadConfig, lookUp } from './config/env.ts';
import { parseEnvFile } from './config/env-file.ts';
import { nameOf, ownSettings, plainBridge } from './config/instances.ts';
import { freeAddresses, onSamePbx, otherBridges, sharedPorts } from './config/other-bridges.ts';
import { ConfigError, type Environment } from './config/variable.ts';
import { unitOf } from './unit-state.ts';

// Root writes to these files, and others may write to their folders: Asterisk's, which the bridge's user may be in the
// group of. Through a symbolic link there it would write to any file.
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY, W_OK } = constants;

/** Each takes a third of a second. */
const LOCK_TRIES = 100;

type SetupOptions = {
  readonly dryRun?: boolean;
  readonly managerFile?: string;
  readonly instance?: string;
};

/** What is added to Asterisk's file. */
type Addition = { readonly file: string; readonly lines: string };

/** FreePBX writes manager.conf itself, and includes this file. */
const managerFiles = ['/etc/asterisk/manager_custom.conf', '/etc/asterisk/manager.conf'];

const shipped = (name: string) => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

/**
 * Configures a bridge without questions: adds the manager user unless there is one, checks the settings given, writes them
 * and starts the bridge. Run again, it changes only what differs. Prints what it does, or would do. Settings that can
 * run stay as they are if the checks fail with the new ones.
 */
export async function setup(
  context: Context,
  args: readonly string[],
  { dryRun, managerFile, instance }: SetupOptions,
): Promise<number> {
  const say = (what: string) => context.terminal.print(dryRun ? `would ${what}` : what);
  const environment = context.io.environment();
  const { ENV_FILE: file = '.env', STATE_DIRECTORY } = environment;
  let before: Environment;
  let after: string;
  let changed: readonly string[];
  let addition: Addition | undefined;
  let isNew = false;
  const steps: string[] = [];
  let unlock = () => {};
  try {
    if (instance !== undefined && !dryRun) unlock = lockSettings(dirname(file));
    const settings = settingsIn(args, knownSettings());
    const others = otherBridges(environment);
    const own = textOf(file, 'with ENV_FILE');
    isNew = own === undefined && instance !== undefined;
    const base = isNew ? plainSettings(file) : undefined;
    const text = base ? withoutSettings(base.text, ownSettings) : (own ?? '');
    before = parseEnvFile(text);
    if (base) {
      const addresses = await freeAddresses(parseEnvFile(base.text), others, tryListen);
      const chosen = [['PBX_ID', nameOf(file)] as const, ...addresses].filter(
        ([name]) => !settings.has(name),
      );
      for (const [name, value] of chosen) settings.set(name, value);
      steps.push(
        `begin ${file} with the settings of ${base.file}, without its ${ownSettings.join(', ')}`,
        ...chosen.map(([name, value]) => `choose ${name}=${value}`),
      );
    }
    const manager = managerUser({ ...environment, ...before, ...Object.fromEntries(settings) }, managerFile);
    for (const [name, value] of manager.settings) settings.set(name, value);
    after = withSettings(text, settings);
    const wanted = { ...environment, ...parseEnvFile(after) };
    loadConfig(bridgeSections, wanted);
    const shared = sharedPorts(wanted, others).map(
      ({ setting, address, by }) =>
        `${setting}: ${address} is also ${by.setting} of ${by.by.file}; give each bridge a port of its own`,
    );
    if (shared.length > 0) throw new ConfigError(shared);
    const [neighbour] = isNew ? onSamePbx(wanted, others) : [];
    if (neighbour && lookUp('REPORT_RULES', wanted).text === undefined)
      throw new ConfigError([
        `REPORT_RULES: is not set, and ${neighbour.name} is on the same PBX: this bridge would report its calls too; set it, to 'report *' if that is meant`,
      ]);
    changed = [...settings].flatMap(([name, value]) => (before[name] === value ? [] : [name]));
    addition = manager.addition;
  } catch (error) {
    unlock();
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.lines) context.printError(line);
    return EXIT_CONFIG;
  }

  for (const step of steps) say(step);
  const isChanged = changed.length > 0;
  const change = `set ${changed.join(', ')} in ${file}`;
  if (addition !== undefined) {
    say(`add the manager user [pbx-bridge] to ${addition.file}`);
    // Added, not written as a whole: others may write to this file, too.
    if (!dryRun) writeTo(addition.file, addition.lines, O_APPEND);
    ran(['asterisk', '-rx', 'manager reload']);
  } else if (!isChanged) context.terminal.print('nothing to change');
  if (dryRun) {
    if (isChanged) say(change);
    if (isChanged || addition !== undefined) say('run the checks and start the bridge');
    return exitCodes.ok;
  }
  // Settings of a working bridge are replaced only by others that work; a first try is kept, to be corrected.
  const isKept = isChanged && !isNew && canRun(before);
  if (!isKept) write();
  unlock();
  const passed = isKept ? checkedBeside(file, after, STATE_DIRECTORY) : check(file, STATE_DIRECTORY);
  if (!passed) {
    const todo = 'correct what failed, then run this again';
    context.printError(
      isKept ? `${file} is unchanged, and so is the bridge: ${todo}` : `the bridge was not started: ${todo}`,
    );
    return exitCodes.problem;
  }
  if (isKept) write();
  return self === '' || start(isChanged || addition !== undefined) ? exitCodes.ok : exitCodes.problem;

  function canRun(settings: Environment): boolean {
    try {
      loadConfig(bridgeSections, { ...environment, ...settings });
      return true;
    } catch (error) {
      if (error instanceof ConfigError) return false;
      throw error;
    }
  }

  function write(): void {
    if (!isChanged) return;
    say(change);
    writeTo(file, after, O_CREAT | O_TRUNC, isNew);
  }

  function ran(command: readonly string[]): boolean {
    const shown = command.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
    say(`run ${shown}`);
    if (dryRun) return true;
    const { status, error } = spawnSync(command[0] as string, command.slice(1), {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status === 0) return true;
    context.printError(
      `${shown} failed${error ? ` (${(error as NodeJS.ErrnoException).code})` : ''}: run it yourself`,
    );
    return false;
  }

  function start(isChanged: boolean): boolean {
    const unit = unitOf(file) ?? 'pbx-bridge';
    if (!existsSync('/run/systemd/system')) return true;
    const isStarted =
      ran(['systemctl', 'enable', '--quiet', unit]) &&
      ran(['systemctl', isChanged ? 'restart' : 'start', unit]);
    const command = `pbx-bridge explain NUMBER${instance === undefined ? '' : ` --instance ${instance}`}`;
    if (isStarted) say(`the bridge runs; now call in from outside, hang up, and see: ${command}`);
    return isStarted;
  }
}

/**
 * Waits until no other setup of the machine's bridges chooses ports: they would be the same. Gives what lets the next one
 * choose; so does the end of this process.
 */
function lockSettings(folder: string): () => void {
  try {
    accessSync(folder, W_OK);
  } catch {
    return () => {}; // what reads or writes there says what is wrong
  }
  for (let left = LOCK_TRIES; ; left -= 1)
    try {
      return lockFolder(folder, { name: '.setup', who: 'setup' }, process.pid);
    } catch (error) {
      if (!(error instanceof StorageRefused)) throw error;
      if (left === 0) throw new ConfigError([error.message]);
    }
}

/** The package's command, which runs the checks as the bridge's user. */
const self = process.env.PBX_BRIDGE_COMMAND ?? '';

/** The settings that a further bridge begins with: of the bridge of the same machine, or as they are shipped. */
function plainSettings(file: string): { readonly file: string; readonly text: string } {
  const plain = join(dirname(file), `${plainBridge}.env`);
  const text = textOf(plain, 'in its place');
  if (text !== undefined) return { file: plain, text };
  const sample = shipped('pbx-bridge.env.example');
  return { file: sample, text: readFileSync(sample, 'utf8') };
}

/** Runs the checks of the settings in a file. Gives whether none failed. */
function check(ENV_FILE: string, STATE_DIRECTORY: string | undefined): boolean {
  const [command = '', ...args] =
    self === '' ? [process.execPath, ...process.execArgv, process.argv[1] ?? ''] : [self];
  // It would name another file.
  const { PBX_BRIDGE_INSTANCE: _, ...inherited } = process.env;
  const env = { ...inherited, ENV_FILE, STATE_DIRECTORY };
  return spawnSync(command, [...args, 'check'], { stdio: 'inherit', env }).status === 0;
}

/** Runs the checks of settings that are not written yet. */
function checkedBeside(file: string, text: string, stateDirectory: string | undefined): boolean {
  // Not NAME.env, which would be one more bridge.
  const beside = `${file}.new`;
  const { mode, uid, gid } = statSync(file);
  rmSync(beside, { force: true });
  const handle = openSync(beside, 'wx', mode & 0o777);
  try {
    writeFileSync(handle, text);
    // By its handle: the name may be another file's by now.
    if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
    return check(beside, stateDirectory);
  } finally {
    closeSync(handle);
    rmSync(beside, { force: true });
  }
}

/** The text of a file that is written later; undefined if there is none. `how` a link is to be replaced. */
function textOf(path: string, how: string): string | undefined {
  try {
    return readFileSync(path, { encoding: 'utf8', flag: O_RDONLY | O_NOFOLLOW });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'ELOOP') throw error;
    throw new ConfigError([`${path} is a symbolic link: give the file that it leads to ${how}`]);
  }
}

/** @param isShared a new file can be read by the group of its folder, as those of the package. */
function writeTo(path: string, text: string, flags: number, isShared = false): void {
  const handle = openSync(path, O_WRONLY | O_NOFOLLOW | flags, 0o600);
  try {
    if (isShared) {
      if (process.getuid?.() === 0) fchownSync(handle, 0, statSync(dirname(path)).gid);
      fchmodSync(handle, 0o640);
    }
    writeFileSync(handle, text, { flush: true });
  } finally {
    closeSync(handle);
  }
}

/** The manager user's name and secret: as they are set; else as Asterisk has them; else of a user that is added. */
function managerUser(
  settings: Readonly<Record<string, string | undefined>>,
  managerFile: string | undefined,
): { settings: readonly (readonly [string, string])[]; addition?: Addition } {
  if (settings.AMI_USERNAME && (settings.AMI_SECRET || settings.AMI_SECRET_FILE)) return { settings: [] };
  const file = managerFile ?? managerFiles.find((path) => existsSync(path));
  const text = file && textOf(file, 'with --manager-file');
  if (file === undefined || text === undefined)
    throw new ConfigError([
      `AMI_USERNAME: not set, and no manager user can be added: ${file ?? managerFiles.join(', ')} is not there; give AMI_USERNAME and AMI_SECRET, or --manager-file`,
    ]);
  const [, section] = /^\[pbx-bridge\](.*?)(?=^\[|$(?![\s\S]))/ms.exec(text) ?? [];
  const known = section === undefined ? undefined : /^\s*secret\s*=>?\s*(\S+)/m.exec(section)?.[1];
  if (section !== undefined && known === undefined)
    throw new ConfigError([
      `the manager user [pbx-bridge] in ${file} has no secret; remove it, or add its secret`,
    ]);
  const secret = known ?? randomBytes(24).toString('base64url');
  const lines = readFileSync(shipped('asterisk/manager_custom.conf'), 'utf8')
    .replace(/^(?:;.*\n)+(?=\[)/, '')
    .replace('change-me', secret);
  return {
    settings: [
      ['AMI_USERNAME', 'pbx-bridge'],
      ['AMI_SECRET', secret],
    ],
    ...(known === undefined && {
      addition: { file, lines: `${text === '' || text.endsWith('\n') ? '\n' : '\n\n'}${lines}` },
    }),
  };
}
