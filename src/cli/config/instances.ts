import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseEnvFile } from './env-file.ts';
import { ConfigError, type Environment } from './variable.ts';

/** A bridge of this machine: the name and content of its settings file. */
export type Instance = { readonly name: string; readonly file: string; readonly environment: Environment };

/** Settings that each bridge has for itself: a copy of another's file begins without them. */
export const ownSettings = [
  'PBX_ID',
  'API_TOKEN',
  'REPORT_RULES',
  'CALL_BACKS',
  'AGI_LISTEN',
  'STATUS_LISTEN',
  'STATE_DIR',
] as const;

/** The name under which the package has the settings and the state of the unit `pbx-bridge`, without an instance. */
export const plainBridge = 'bridge';

/** A name that may stand behind `pbx-bridge@` and as a PBX_ID. @throws ConfigError for any other. */
export function instanceName(name: string): string {
  const got = `--instance: got ${JSON.stringify(name)}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(name))
    throw new ConfigError([
      `${got}; takes 1 to 32 letters, digits, dots, dashes or underscores, such as firm-a`,
    ]);
  if (name === 'backups')
    throw new ConfigError([`${got}, which is the folder of the backups; takes another`]);
  return name;
}

/** The name of the bridge with this settings file, also while `setup` tries other settings beside it (NAME.env.new). */
export const nameOf = (file: string) => basename(file).replace(/\.env(\.new)?$/, '');

/** Where the settings and the state of the unit `pbx-bridge@NAME` are: next to those of this command. */
export function instancePaths(name: string, own: Environment) {
  const { STATE_DIRECTORY = '/var/lib/pbx-bridge/bridge' } = own;
  return {
    ENV_FILE: join(instancesFolder(own), `${name}.env`),
    STATE_DIRECTORY: join(dirname(STATE_DIRECTORY), name),
  };
}

/**
 * The bridges with settings in one directory, as the package installs them: `bridge.env`, and `NAME.env` for each
 * `pbx-bridge@NAME`.
 * @throws ConfigError if the directory cannot be read.
 */
export function readInstances(folder: string): Instance[] {
  try {
    return instanceNames(folder).map((name) => {
      const file = join(folder, `${name}.env`);
      try {
        return { name, file, environment: parseEnvFile(readFileSync(file, 'utf8')) };
      } catch (error) {
        if (error instanceof ConfigError)
          throw new ConfigError(error.lines.map((line) => `${file}: ${line}`));
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = 'error', path = folder } = error as NodeJS.ErrnoException;
    throw new ConfigError([`the settings of the bridges in ${folder}: ${path} cannot be read (${code})`]);
  }
}

/** The names of the bridges with settings in a directory, the plain one first. */
export function instanceNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.env') && file !== '.env')
    .map((file) => basename(file, '.env'))
    .sort((a, b) => Number(b === plainBridge) - Number(a === plainBridge) || a.localeCompare(b));
}

/** The directory with the settings of this machine's bridges: that of ENV_FILE, or /etc/pbx-bridge. */
export function instancesFolder(environment: Environment): string {
  const { ENV_FILE } = environment;
  const installed = '/etc/pbx-bridge';
  return ENV_FILE === undefined || !existsSync(ENV_FILE) ? installed : dirname(ENV_FILE);
}
