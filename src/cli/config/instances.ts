import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseEnvFile } from './env-file.ts';
import { ConfigError, type Environment } from './variable.ts';

/** A bridge of this machine: the name and content of its settings file. */
type Instance = { readonly name: string; readonly file: string; readonly environment: Environment };

/**
 * The bridges with settings in one directory, as the package installs them: `bridge.env`, and `NAME.env` for each
 * `pbx-bridge@NAME`.
 * @throws ConfigError if the directory cannot be read or contains no settings.
 */
export function readInstances(folder: string): Instance[] {
  const takes = 'takes a directory with one NAME.env for each bridge';
  try {
    const names = readdirSync(folder)
      .filter((file) => file.endsWith('.env') && file !== '.env')
      .map((file) => basename(file, '.env'))
      .sort((a, b) => Number(b === 'bridge') - Number(a === 'bridge') || a.localeCompare(b));
    if (names.length === 0)
      throw new ConfigError([`--folder: got ${folder}, which contains no settings; ${takes}`]);
    return names.map((name) => {
      const file = join(folder, `${name}.env`);
      return { name, file, environment: parseEnvFile(readFileSync(file, 'utf8')) };
    });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = 'error', path = folder } = error as NodeJS.ErrnoException;
    throw new ConfigError([`--folder: got ${folder}, and ${path} cannot be read (${code}); ${takes}`]);
  }
}

/** The directory with the settings of this machine's bridges: that of ENV_FILE, or /etc/pbx-bridge. */
export function instancesFolder(environment: Environment): string {
  const { ENV_FILE } = environment;
  const installed = '/etc/pbx-bridge';
  return ENV_FILE === undefined || !existsSync(ENV_FILE) ? installed : dirname(ENV_FILE);
}
