import { parse } from 'dotenv';
import { ConfigError, type Environment } from './variable.ts';

const quotes = ["'", '"', '`'] as const;

/**
 * Reads the text of an env file. dotenv ends a value at any `#` and lets a quote run on over lines; here only ` #` begins a
 * comment, and a value that begins with a quote and does not end with it is taken as it is: secrets have such characters.
 * @throws ConfigError if a value cannot be written in this way.
 */
export function parseEnvFile(text: string): Environment {
  return parse(text.replace(linesOf('[\\w.-]+'), quoteValue));
}

/**
 * The lines that set what this expression names, as they are read. Its groups: what stands before the name, the name, what separates
 * it from the value, and the rest.
 */
export const linesOf = (names: string): RegExp =>
  new RegExp(`^([ \\t]*(?:export[ \\t]+)?)(${names})([ \\t]*=|:[ \\t])(.*)$`, 'gm');

function quoteValue(line: string, beginning: string, name: string, separator: string, rest: string): string {
  if (/^\s*(['"`])(?:(?!\1).)*\1(?:\s+#.*)?\s*$/.test(rest)) return line;
  const value = rest.replace(/\s#.*$/, '').trim();
  if (!/^['"`]|#/.test(value)) return line;
  const quote = quotes.find((one) => !value.includes(one));
  if (quote === undefined)
    throw new ConfigError([
      `${name}: has each of ' " and \` in it; put it into a file, and its path into ${name}_FILE`,
    ]);
  return `${beginning}${name}${separator}${quote}${value}${quote}`;
}
