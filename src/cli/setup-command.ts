import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Context, exitCodes } from './command-context.ts';
import { settingsIn, withSettings } from './config/edit-settings.ts';
import { bridgeSections, EXIT_CONFIG, knownSettings, loadConfig } from './config/env.ts';
import { parseEnvFile } from './config/env-file.ts';
import { ConfigError } from './config/variable.ts';

type SetupOptions = { readonly dryRun?: boolean; readonly managerFile?: string };

/** What is written, and what must run afterwards so that it counts. */
type Change = { readonly file: string; readonly text: string; readonly what: string };

/** FreePBX writes manager.conf itself, and includes this file. */
const managerFiles = ['/etc/asterisk/manager_custom.conf', '/etc/asterisk/manager.conf'];

/** The manager user's lines, as they are shipped. */
const sample = fileURLToPath(new URL('../../config/asterisk/manager_custom.conf', import.meta.url));

/**
 * Configures a bridge without questions: writes the settings given, adds the manager user unless there is one, runs the
 * checks and starts the bridge. Run again, it changes only what differs. Prints what it does, or would do.
 */
export function setup(
  context: Context,
  args: readonly string[],
  { dryRun, managerFile }: SetupOptions,
): number {
  const say = (what: string) => context.terminal.print(dryRun ? `would ${what}` : what);
  const environment = context.io.environment();
  const file = environment.ENV_FILE ?? '.env';
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  let changes: Change[];
  try {
    const settings = settingsIn(args, knownSettings());
    const before = parseEnvFile(text);
    const manager = managerUser({ ...environment, ...before, ...Object.fromEntries(settings) }, managerFile);
    for (const [name, value] of manager.settings) settings.set(name, value);
    const after = withSettings(text, settings);
    loadConfig(bridgeSections, { ...environment, ...parseEnvFile(after) });
    const changed = [...settings].filter(([name, value]) => before[name] !== value);
    const names = changed.map(([name]) => name).join(', ');
    changes = [
      ...manager.changes,
      ...(changed.length > 0 ? [{ file, text: after, what: `set ${names} in ${file}` }] : []),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.lines) context.printError(line);
    return EXIT_CONFIG;
  }

  for (const { file: path, text: content, what } of changes) {
    say(what);
    if (!dryRun) writeFileSync(path, content, { mode: 0o600, flush: true });
  }
  if (changes.length === 0) context.terminal.print('nothing to change');
  if (changes.some(({ file: path }) => path !== file)) ran(['asterisk', '-rx', 'manager reload']);
  if (dryRun) {
    if (changes.length > 0) say('run the checks and start the bridge');
    return exitCodes.ok;
  }
  // By the package's command, which runs the checks as the bridge's user.
  const self = process.env.PBX_BRIDGE_COMMAND ?? '';
  const check = self === '' ? [process.execPath, ...process.execArgv, process.argv[1] ?? ''] : [self];
  const { status } = spawnSync(check[0] as string, [...check.slice(1), 'check'], { stdio: 'inherit' });
  if (status !== 0) {
    context.printError('the bridge was not started: correct what failed, then run this again');
    return exitCodes.problem;
  }
  return self === '' || start(changes.length > 0) ? exitCodes.ok : exitCodes.problem;

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
    return (
      ran(['systemctl', 'enable', '--quiet', unit]) &&
      ran(['systemctl', isChanged ? 'restart' : 'start', unit])
    );
  }
}

/** The manager user's name and secret: as they are set; else as Asterisk has them; else of a user that is added. */
function managerUser(
  settings: Readonly<Record<string, string | undefined>>,
  managerFile: string | undefined,
): { settings: readonly (readonly [string, string])[]; changes: Change[] } {
  if (settings.AMI_USERNAME && (settings.AMI_SECRET || settings.AMI_SECRET_FILE))
    return { settings: [], changes: [] };
  const file = managerFile ?? managerFiles.find((path) => existsSync(path));
  if (file === undefined || !existsSync(file))
    throw new ConfigError([
      `AMI_USERNAME: not set, and no manager user can be added: ${file ?? managerFiles.join(', ')} is not there; give AMI_USERNAME and AMI_SECRET, or --manager-file`,
    ]);
  const text = readFileSync(file, 'utf8');
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
    changes:
      known !== undefined
        ? []
        : [
            {
              file,
              text: `${text.replace(/\n*$/, '\n\n')}${lines}`,
              what: `add the manager user [pbx-bridge] to ${file}`,
            },
          ],
  };
}
