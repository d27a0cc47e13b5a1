import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'dotenv';
import { ConfigError, type Environment } from './env.ts';

/** A bridge of this machine: the name and content of its settings file. */
type Instance = { readonly name: string; readonly environment: Environment };

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
    return names.map((name) => ({
      name,
      environment: parseEnvFile(readFileSync(join(folder, `${name}.env`), 'utf8')),
    }));
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

const quotes = ["'", '"', '`'] as const;

/**
 * Reads the text of an env file. dotenv ends a value at any `#` and lets a quote run on over lines; here only ` #` begins a
 * comment, and a value that begins with a quote and does not end with it is taken as it is: secrets have such characters.
 * @throws ConfigError if a value cannot be written in this way.
 */
export function parseEnvFile(text: string): Environment {
  return parse(text.replace(/^(\s*(?:export\s+)?([\w.-]+)[ \t]*=)(.*)$/gm, quoteValue));
}

function quoteValue(line: string, beginning: string, name: string, rest: string): string {
  if (/^\s*(['"`])(?:(?!\1).)*\1(?:\s+#.*)?\s*$/.test(rest)) return line;
  const value = rest.replace(/\s#.*$/, '').trim();
  if (!/^['"`]|#/.test(value)) return line;
  const quote = quotes.find((one) => !value.includes(one));
  if (quote === undefined)
    throw new ConfigError([
      `${name}: has each of ' " and \` in it; put it into a file, and its path into ${name}_FILE`,
    ]);
  return `${beginning}${quote}${value}${quote}`;
}
