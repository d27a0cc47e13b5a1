import { linesOf, parseEnvFile } from './env-file.ts';
import { isSetting, nearestSetting } from './misspelt-settings.ts';
import { ConfigError } from './variable.ts';

/** `NAME=value`, each a known setting, as arguments of a command. @throws ConfigError that names all that are not. */
export function settingsIn(args: readonly string[], known: ReadonlySet<string>): Map<string, string> {
  const settings = new Map<string, string>();
  const problems: string[] = [];
  for (const arg of args) {
    const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(arg) ?? [];
    if (name === '') problems.push(`got ${JSON.stringify(arg)}; takes NAME=value`);
    else if (!isSetting(name, known)) {
      const nearest = nearestSetting(name, known);
      problems.push(
        `${name}: unknown setting; ${nearest ? `did you mean ${nearest}?` : 'man pbx-bridge.env lists them'}`,
      );
    } else settings.set(name, value);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}

/**
 * The text of a settings file with these settings: each in its line, commented or not, else at the end. Comments and other
 * lines stay. @throws ConfigError if a value cannot be written in such a file.
 */
export function withSettings(text: string, settings: ReadonlyMap<string, string>): string {
  let changed = text;
  for (const [name, value] of settings) {
    if (/[\r\n]/.test(value))
      throw new ConfigError([
        `${name}: has a line break; put it into a file, and its path into ${name}_FILE`,
      ]);
    const before = changed;
    const commented = new RegExp(`^()#${name}=.*$`, 'm');
    const at = [linesOf(name), commented].find((pattern) => before.search(pattern) >= 0);
    const written = ['', "'", '"', '`'].map((quote) => {
      const line = `${name}=${quote}${value}${quote}`;
      return at
        ? before.replace(at, (_, beginning: string) => beginning + line)
        : `${before.replace(/\n?$/, '\n')}${line}\n`;
    });
    const right = written.find((text) => isReadAs(text, name, value));
    if (right === undefined)
      throw new ConfigError([
        `${name}: cannot be written as it is; put it into a file, and its path into ${name}_FILE`,
      ]);
    changed = right;
  }
  return changed;
}

/** The text of a settings file without the values of these settings. */
export function withoutSettings(text: string, names: readonly string[]): string {
  const lines = linesOf(`(?:${names.join('|')})(?:_FILE)?`);
  return text.replace(lines, (_, beginning: string, name: string) => `${beginning}${name}=`);
}

function isReadAs(text: string, name: string, value: string): boolean {
  try {
    return parseEnvFile(text)[name] === value;
  } catch {
    return false;
  }
}
