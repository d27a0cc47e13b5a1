import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { ConfigError, type Environment } from './env.ts';

/** A bridge of this machine: the name of its settings file, and what is in that. */
export type Site = { readonly name: string; readonly environment: Environment };

/** Another program's settings lie beside the bridges': `pbx-bridge-service`'s. */
const notBridges = new Set(['service']);

/**
 * The bridges whose settings lie in one folder, as the package keeps them: `bridge.env`, and `NAME.env` for each
 * `pbx-bridge@NAME`. Samples (`*.env.example`) are none.
 * @throws ConfigError if the folder cannot be read or holds none.
 */
export function readSites(folder: string): Site[] {
  const takes = 'takes a folder with one NAME.env for each bridge';
  try {
    const names = readdirSync(folder)
      .filter((file) => file.endsWith('.env') && file !== '.env')
      .map((file) => basename(file, '.env'))
      .filter((name) => !notBridges.has(name))
      .sort((a, b) => Number(b === 'bridge') - Number(a === 'bridge') || a.localeCompare(b));
    if (names.length === 0) throw new ConfigError([`--folder: got ${folder}, which has none; ${takes}`]);
    return names.map((name) => ({
      name,
      environment: parseDotenv(readFileSync(join(folder, `${name}.env`))),
    }));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = 'error', path = folder } = error as NodeJS.ErrnoException;
    throw new ConfigError([`--folder: got ${folder}, and ${path} cannot be read (${code}); ${takes}`]);
  }
}

/** Where the settings of this machine's bridges lie: beside this one's, if they are in a folder of such files. */
export function sitesFolder(environment: Environment): string {
  const { ENV_FILE } = environment;
  const installed = '/etc/pbx-bridge';
  return ENV_FILE === undefined || !existsSync(ENV_FILE) ? installed : dirname(ENV_FILE);
}
