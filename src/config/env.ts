import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import type { z } from 'zod';
import { agiSection } from './agi.ts';
import { amiSection } from './ami.ts';
import { apiSection } from './api.ts';
import { callsSection } from './calls.ts';
import { opsSection } from './ops.ts';
import { outboxSection } from './outbox.ts';
import type { Section, Shape, Values } from './section.ts';
import { statusSection } from './status.ts';

/** The sections of the bridge's configuration, in the order in which a person fills them in. */
export const bridgeSections = {
  ami: amiSection,
  api: apiSection,
  calls: callsSection,
  agi: agiSection,
  outbox: outboxSection,
  status: statusSection,
  ops: opsSection,
} as const;

type AnySection = Section<Shape, unknown>;
type Sections = Readonly<Record<string, AnySection>>;
type Config<S extends Sections> = { [K in keyof S]: ReturnType<S[K]['build']> };

/** The texts that variables were set to, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** sysexits.h EX_CONFIG: what a service manager should not restart on. */
export const EXIT_CONFIG = 78;

/** The configuration is wrong: one line for each variable, naming it, what it got and what it takes. */
export class ConfigError extends Error {
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/**
 * The process's environment over the file `.env` in the current folder. For every variable also `NAME_FILE`, the
 * path of a file with the value, and a systemd credential of that name (systemd.exec(5), LoadCredential=).
 */
export function readEnvironment(folder = process.cwd()): Environment {
  const file = join(folder, '.env');
  const fromFile = existsSync(file) ? parseDotenv(readFileSync(file)) : {};
  const environment: Record<string, string | undefined> = { ...fromFile, ...process.env };
  // The unit's StateDirectory= is the folder that the service may write to; only an explicit setting goes before it.
  if (environment.STATE_DIRECTORY) environment.STATE_DIR ??= environment.STATE_DIRECTORY.split(':')[0];
  return environment;
}

/**
 * Reads the sections' variables and gives each section's options.
 * @throws ConfigError with all that is wrong, at once.
 */
export function loadConfig<const S extends Sections>(sections: S, environment: Environment): Config<S> {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, section] of Object.entries(sections)) {
    const values = readSection(section, environment, problems);
    if (values === undefined) continue;
    const conflicts = section.conflicts?.(values) ?? [];
    problems.push(...conflicts);
    if (conflicts.length === 0) config[name] = section.build(values);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config<S>;
}

/** True if none of these variables is set in any way: somebody has just unpacked the program. */
export function isUnset(names: readonly string[], environment: Environment): boolean {
  return names.every((name) => lookUp(name, environment).text === undefined);
}

function readSection(
  section: AnySection,
  environment: Environment,
  problems: string[],
): Values<Shape> | undefined {
  const values: Record<string, unknown> = {};
  const before = problems.length;
  for (const [name, schema] of Object.entries(section.shape)) {
    const { text, problem } = lookUp(name, environment);
    const parsed = problem === undefined ? schema.safeParse(text) : undefined;
    if (parsed?.success) values[name] = parsed.data;
    else problems.push(problem ?? wrong(name, text, schema));
  }
  return problems.length === before ? values : undefined;
}

/** A variable that is set to nothing is not set: that is what an empty line in an env file means to people. */
function lookUp(name: string, environment: Environment): { text?: string | undefined; problem?: string } {
  const direct = environment[name] || undefined;
  const path = environment[`${name}_FILE`] || undefined;
  const credentials = environment.CREDENTIALS_DIRECTORY;
  if (direct !== undefined && path !== undefined)
    return { problem: `${name}: is set, and ${name}_FILE too; keep one of them` };
  if (direct !== undefined) return { text: direct };
  const credential = credentials === undefined ? undefined : join(credentials, name);
  const file = path ?? (credential !== undefined && existsSync(credential) ? credential : undefined);
  if (file === undefined) return {};
  try {
    return { text: readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'error';
    return {
      problem: `${name}_FILE: got ${file}, which cannot be read (${reason}); takes the path of a file`,
    };
  }
}

/** `AMI_PORT: got "abc"; takes a port number from 1 to 65535` */
function wrong(name: string, text: string | undefined, schema: z.ZodType): string {
  const { takes, secret } = metaOf(schema);
  if (text === undefined) return `${name}: is not set; takes ${takes}`;
  const got = secret ? `a value of ${text.length} characters that does not fit` : JSON.stringify(text);
  return `${name}: got ${got}; takes ${takes}`;
}

/** What a variable's schema says of itself, also under `default` and `optional`. */
export function metaOf(schema: z.ZodType): { takes?: string; secret?: boolean; example?: string } {
  for (let inner: unknown = schema; inner !== undefined; ) {
    const type = inner as z.ZodType & { def: { innerType?: unknown } };
    const meta = type.meta() as { takes?: string; secret?: boolean; example?: string } | undefined;
    if (meta?.takes !== undefined) return meta;
    inner = type.def.innerType;
  }
  return {};
}
