import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isGlob } from '../../bridge/calls/glob.ts';

/**
 * The types of settings: each parses the text of an environment variable. `takes` describes valid values for the
 * operator, in error messages and in the sample file.
 */
type Meta = { takes: string; example?: string; secret?: boolean };

const described = <T extends z.ZodType>(schema: T, meta: Meta) => schema.meta(meta);

/** Any single line of text. */
export const line = (takes: string, pattern: RegExp = /^[^\r\n\0]+$/) =>
  described(z.string().regex(pattern), { takes });

/** A value that is never printed. */
export const secret = (takes: string, pattern: RegExp = /^[^\r\n\0]+$/) =>
  described(z.string().regex(pattern), { takes: `${takes}, on one line`, secret: true });

/** A proxy: `http://proxy:3128`, `http://user:password@proxy:3128`, or without `http://`. */
export const proxy = () =>
  described(
    z
      .string()
      .transform((text) => (text.includes('://') ? text : `http://${text}`))
      .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')),
    {
      takes:
        'the address of a proxy, such as http://proxy.example.com:3128 or http://user:password@host:3128',
    },
  );

/** What is wrong if one of a certificate and its key, `NAME_CERT` and `NAME_KEY`, is set without the other. */
export const setAlone = (name: string, cert: string | undefined, key: string | undefined): string[] =>
  (cert === undefined) === (key === undefined)
    ? []
    : [
        `${name}_${cert === undefined ? 'KEY' : 'CERT'}: is set alone; takes a certificate and its key together`,
      ];

/** The path of a file; the value is its content. */
export const file = (takes: string, pattern: RegExp) =>
  described(
    z.string().transform((path, context) => {
      try {
        const content = readFileSync(path, 'utf8');
        if (pattern.test(content)) return content;
      } catch {
        // An unreadable file is reported below, like one with the wrong content.
      }
      context.addIssue({ code: 'custom' });
      return z.NEVER;
    }),
    { takes },
  );

export const port = () =>
  described(
    z
      .string()
      .regex(/^\d{1,5}$/)
      .transform(Number)
      .pipe(z.number().int().min(1).max(65_535)),
    { takes: 'a port number from 1 to 65535' },
  );

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms`, `10s`, `5m`, `12h` or `14d`; the value is in ms. `min` and `max` are written in the same form. */
export const duration = (min: string, max: string) =>
  described(
    z
      .string()
      .regex(/^\d{1,9}(ms|s|m|h|d)$/)
      .transform(milliseconds)
      .pipe(z.number().min(milliseconds(min)).max(milliseconds(max))),
    { takes: `a time from ${min} to ${max}, such as 500ms, 10s, 5m, 12h or 14d` },
  );

function milliseconds(text: string): number {
  const [, amount, unit] = /^(\d+)([a-z]+)$/.exec(text) as unknown as [string, string, keyof typeof unitMs];
  return Number(amount) * unitMs[unit];
}

export const yesNo = () =>
  described(
    z
      .enum(['yes', 'no', 'on', 'off', 'true', 'false', '1', '0'])
      .transform((text) => /^(yes|on|true|1)$/.test(text)),
    { takes: 'yes or no' },
  );

export const choice = <const T extends readonly [string, ...string[]]>(options: T) =>
  described(z.enum(options), { takes: `one of ${options.join(', ')}` });

export const wholeNumber = (min: number, max: number) =>
  described(
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number)
      .pipe(z.number().min(min).max(max)),
    { takes: `a whole number from ${min} to ${max}` },
  );

const listenPattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/;

/** An address to listen on: `127.0.0.1:9437`, `[::]:9437`, `localhost:0`; undefined if `off`. */
export const listen = () =>
  described(
    z.string().transform((text, context) => {
      if (text === 'off') return undefined;
      const [, v6, name, port] = listenPattern.exec(text) ?? [];
      const host = v6 ?? name;
      if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
      context.addIssue({ code: 'custom' });
      return z.NEVER;
    }),
    {
      takes: 'an address and a port, such as 127.0.0.1:9000 or [::]:9000 (port 0: any free port), or off',
    },
  );

/** A comma-separated list of what `read` makes of each item; spaces around items are ignored. */
export const listOf = <T>(takes: string, read: (item: string) => T | undefined) =>
  described(
    z
      .string()
      .regex(/^[^\r\n\0]*$/)
      .transform((text, context) => {
        const items = text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== '');
        const values = items.map(read);
        const wrong = items[values.indexOf(undefined)];
        if (wrong !== undefined) context.addIssue({ code: 'custom', params: { wrong } });
        return values as T[];
      }),
    { takes },
  );

export const list = (takes: string, isItem: (text: string) => boolean) =>
  listOf(takes, (item) => (isItem(item) ? item : undefined));

/** Comma-separated globs, such as `example`. */
export const globs = (example: string) => list(`a comma-separated list of globs, such as ${example}`, isGlob);

/** The base URL of an HTTP API. */
export const baseUrl = (takes: string, ok: (url: URL) => boolean) =>
  described(
    z.string().refine((text) => {
      const url = URL.parse(text);
      return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '' && ok(url);
    }),
    { takes },
  );

/** Metadata of a variable that takes effect on a reload; the others need a restart. */
export const live = { live: true };

export function isLive(schema: z.ZodType): boolean {
  return schema.meta()?.live === true;
}

export type Shape = Readonly<Record<string, z.ZodType>>;
export type Values<S extends Shape> = { [K in keyof S]: z.output<S[K]> };

/**
 * A section of the configuration: the variables of one part of the program, and the options built from them. `conflicts`
 * returns one line for each combination of valid values that does not work.
 * They are methods and not function properties, since TypeScript compares the parameters of methods in both directions:
 * so a section of any shape is a `Section<Shape, unknown>`.
 */
export type Section<S extends Shape, Options> = {
  readonly title: string;
  readonly shape: S;
  /** Where secrets among them are sent to: if one of these has changed, the live ones need a restart too. */
  readonly address?: readonly string[];
  conflicts?(values: Values<S>, all: Readonly<Record<string, Values<Shape>>>): string[];
  build(values: Values<S>): Options;
};

export function section<S extends Shape, Options>(
  definition: Section<S, Options> & {
    readonly address?: readonly (keyof S)[];
  },
): Section<S, Options> {
  return definition;
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** The values as options of the same names: `WITHHELD_NUMBER` as `withheldNumber`. */
export function camelCased<V extends object>(values: V) {
  const option = (name: string) => name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const options = Object.entries(values).map(([name, value]) => [option(name), value]);
  return Object.fromEntries(options) as { [Name in keyof V & string as CamelCase<Name>]: V[Name] };
}

/** Invalid configuration: one line per variable, with its name, its value and what it takes. */
export class ConfigError extends Error {
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** The variables' texts, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
