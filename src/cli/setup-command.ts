import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Context, exitCodes } from './command-context.ts';
import { settingsIn, withSettings } from './config/edit-settings.ts';
import { bridgeSections, EXIT_CONFIG, knownSettings, loadConfig } from './config/env.ts';
import { parseEnvFile } from './config/env-file.ts';
import { ConfigError, type Environment } from './config/variable.ts';

// Root writes to these files, and others may write to their folders: Asterisk's, which the bridge's user may be in the
// group of. Through a symbolic link there it would write to any file.
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

type SetupOptions = { readonly dryRun?: boolean; readonly managerFile?: string };

/** What is added to Asterisk's file. */
type Addition = { readonly file: string; readonly lines: string };

/** FreePBX writes manager.conf itself, and includes this file. */
const managerFiles = ['/etc/asterisk/manager_custom.conf', '/etc/asterisk/manager.conf'];

/** The manager user's lines, as they are shipped. */
const sample = fileURLToPath(new URL('../../config/asterisk/manager_custom.conf', import.meta.url));

/**
 * Configures a bridge without questions: adds the manager user unless there is one, checks the settings given, writes them
 * and starts the bridge. Run again, it changes only what differs. Prints what it does, or would do. Settings that can
 * run stay as they are if the checks fail with the new ones.
 */
export function setup(
  context: Context,
  args: readonly string[],
  { dryRun, managerFile }: SetupOptions,
): number {
  const say = (what: string) => context.terminal.print(dryRun ? `would ${what}` : what);
  const environment = context.io.environment();
  const file = environment.ENV_FILE ?? '.env';
  let before: Environment;
  let after: string;
  let changed: readonly string[];
  let addition: Addition | undefined;
  try {
    const text = textOf(file, 'with ENV_FILE') ?? '';
    before = parseEnvFile(text);
    const settings = settingsIn(args, knownSettings());
    const manager = managerUser({ ...environment, ...before, ...Object.fromEntries(settings) }, managerFile);
    for (const [name, value] of manager.settings) settings.set(name, value);
    after = withSettings(text, settings);
    loadConfig(bridgeSections, { ...environment, ...parseEnvFile(after) });
    changed = [...settings].flatMap(([name, value]) => (before[name] === value ? [] : [name]));
    addition = manager.addition;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.lines) context.printError(line);
    return EXIT_CONFIG;
  }

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
  const isKept = isChanged && canRun(before);
  if (!isKept) write();
  const passed = isKept ? checkedBeside(file, after) : check();
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
    writeTo(file, after, O_CREAT | O_TRUNC);
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
    const instance = process.env.PBX_BRIDGE_INSTANCE ?? '';
    const unit = instance === '' ? 'pbx-bridge' : `pbx-bridge@${instance}`;
    if (!existsSync('/run/systemd/system')) return true;
    const isStarted =
      ran(['systemctl', 'enable', '--quiet', unit]) &&
      ran(['systemctl', isChanged ? 'restart' : 'start', unit]);
    const prefix = instance === '' ? '' : `PBX_BRIDGE_INSTANCE=${instance} `;
    if (isStarted)
      say(`the bridge runs; now call in from outside, hang up, and see: ${prefix}pbx-bridge explain NUMBER`);
    return isStarted;
  }
}

/** The package's command, which runs the checks as the bridge's user. */
const self = process.env.PBX_BRIDGE_COMMAND ?? '';

/** Runs the checks of these settings, those of `ENV_FILE` unless another file is given. Gives whether none failed. */
function check(file?: string): boolean {
  const [command = '', ...args] =
    self === '' ? [process.execPath, ...process.execArgv, process.argv[1] ?? ''] : [self];
  const env = file === undefined ? process.env : { ...process.env, ENV_FILE: file };
  return spawnSync(command, [...args, 'check'], { stdio: 'inherit', env }).status === 0;
}

/** Runs the checks of settings that are not written yet. */
function checkedBeside(file: string, text: string): boolean {
  // Not NAME.env, which would be one more bridge.
  const beside = `${file}.new`;
  const { mode, uid, gid } = statSync(file);
  rmSync(beside, { force: true });
  const handle = openSync(beside, 'wx', mode & 0o777);
  try {
    writeFileSync(handle, text);
    // By its handle: the name may be another file's by now.
    if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
    return check(beside);
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

function writeTo(path: string, text: string, flags: number): void {
  const handle = openSync(path, O_WRONLY | O_NOFOLLOW | flags, 0o600);
  try {
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
  const lines = readFileSync(sample, 'utf8')
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
