import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { isReadByJournal } from '../../shared/log/journal.ts';
import { agiSection } from './agi-section.ts';
import { alertSection, mailSection } from './alert-section.ts';
import { amiSection } from './ami-section.ts';
import { apiSection } from './api-section.ts';
import { callsSection } from './calls-section.ts';
import { cdrSection } from './cdr-section.ts';
import { parseEnvFile } from './env-file.ts';
import { instanceNames, instancePaths, plainBridge } from './instances.ts';
import { logSection } from './log-section.ts';
import { outboxSection, statusSection } from './outbox-section.ts';
import { ConfigError, type Environment, type Section, type Shape, type Values } from './variable.ts';

/** The sections of the bridge's configuration, in the order of the sample file. */
export const bridgeSections = {
  ami: amiSection,
  api: apiSection,
  calls: callsSection,
  cdr: cdrSection,
  agi: agiSection,
  outbox: outboxSection,
  status: statusSection,
  mail: mailSection,
  alerts: alertSection,
  logging: logSection,
} as const;

/** The names of the bridge's settings. */
export const knownSettings = (): ReadonlySet<string> =>
  new Set(Object.values(bridgeSections).flatMap((section) => Object.keys(section.shape)));

type AnySection = Section<Shape, unknown>;
export type Sections = Readonly<Record<string, AnySection>>;
export type Config<S extends Sections> = { [K in keyof S]: ReturnType<S[K]['build']> };

/** EX_CONFIG of sysexits.h: the service manager should not restart the program. */
export const EXIT_CONFIG = 78;

/**
 * Reads the process's environment and the file named by ENV_FILE, or `.env` in the current directory; the environment
 * has precedence. Each variable may also be set as `NAME_FILE`, the path of a file with its value, or as a systemd
 * credential of its name (systemd.exec(5), LoadCredential=).
 * @param instance the unit `pbx-bridge@NAME` whose settings and state are meant.
 * @throws ConfigError if its file, or that named by ENV_FILE, cannot be read.
 */
export function readEnvironment(folder = process.cwd(), instance?: WantedInstance): Environment {
  // An empty variable counts as not set, so that `NAME=${NAME:-}` of a container does not hide the file's value.
  const set: Environment = Object.fromEntries(Object.entries(process.env).filter(([, text]) => text !== ''));
  if (instance === undefined) return { ...readEnvFile(set.ENV_FILE, folder), ...set };
  const paths = instancePaths(instance.name, set);
  return { ...readInstanceFile(instance, paths.ENV_FILE), ...set, ...paths };
}

/** `mayBeNew`: it need not have settings yet. */
export type WantedInstance = { readonly name: string; readonly mayBeNew?: boolean };

function readInstanceFile({ name, mayBeNew }: WantedInstance, file: string): Environment {
  if (existsSync(file)) return readEnvFile(file, '');
  if (mayBeNew) return {};
  const folder = dirname(file);
  const names = existsSync(folder) ? instanceNames(folder).filter((it) => it !== plainBridge) : [];
  const others = names.length > 0 ? `there are ${names.join(', ')}` : 'there are none';
  throw new ConfigError([
    `--instance: got "${name}", and there is no ${file}; ${others}; pbx-bridge setup --instance ${name} makes it`,
  ]);
}

/** The program reads the file itself, not the service manager, so that a reload sees changes. */
function readEnvFile(named: string | undefined, folder: string): Environment {
  const file = named ?? join(folder, '.env');
  if (named === undefined && !existsSync(file)) return {};
  try {
    return parseEnvFile(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new ConfigError([
      `ENV_FILE: got ${file}, which cannot be read (${reason}); takes the path of a settings file`,
    ]);
  }
}

/**
 * Reads what systemd passes to its services (sd_notify(3), sd_watchdog_enabled(3)): the notification socket, the
 * watchdog timeout, ms, and whether its journal reads standard output. A watchdog of another process (WATCHDOG_PID) is
 * ignored.
 */
export function readServiceManager(): {
  notifySocket: string | undefined;
  watchdogMs: number | undefined;
  journal: boolean;
} {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, JOURNAL_STREAM } = process.env;
  const ours = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === process.pid;
  const watchdogMs = Number(WATCHDOG_USEC) / 1_000;
  return {
    notifySocket: NOTIFY_SOCKET || undefined,
    watchdogMs: ours && watchdogMs > 0 ? watchdogMs : undefined,
    journal: isReadByJournal(1, JOURNAL_STREAM),
  };
}

/**
 * Reads the sections' variables and returns each section's options.
 * @throws ConfigError with all problems at once.
 */
export function loadConfig<const S extends Sections>(sections: S, environment: Environment): Config<S> {
  return buildConfig(sections, readValues(sections, environment));
}

/** The variables' values, by section and name. */
export type AllValues = Readonly<Record<string, Values<Shape>>>;

/** @throws ConfigError with all problems at once. */
export function readValues(sections: Sections, environment: Environment): AllValues {
  const problems: string[] = [];
  const all: Record<string, Values<Shape>> = {};
  for (const [name, section] of Object.entries(sections)) {
    const values = readSection(section, environment, problems);
    if (values === undefined) continue;
    problems.push(...(section.conflicts?.(values, all) ?? []));
    all[name] = values;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return all;
}

export function buildConfig<const S extends Sections>(sections: S, values: AllValues): Config<S> {
  const build = ([name, section]: [string, AnySection]) => [
    name,
    section.build(values[name] as Values<Shape>),
  ];
  return Object.fromEntries(Object.entries(sections).map(build)) as Config<S>;
}

/** Those without a default. */
export const requiredSettings = ['AMI_USERNAME', 'AMI_SECRET', 'API_BASE_URL', 'API_TOKEN'] as const;

/** True if none of these variables is set, by any means: the program was just installed. */
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
    else problems.push(problem ?? problemOf(name, text, schema, parsed?.error.issues));
  }
  return problems.length === before ? values : undefined;
}

/** Settings whose default is the unit's StateDirectory=, the only directory that the service may write to. */
const stateDirectories = new Set(['STATE_DIR', 'SERVICE_STATE_DIR']);

/** Everywhere else they are known by small letters too. */
const proxySettings = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** The text of a variable. An empty one counts as not set, as in `NAME=` of an env file. */
export function lookUp(
  name: string,
  environment: Environment,
): { text?: string | undefined; problem?: string } {
  const small = proxySettings.has(name) ? environment[name.toLowerCase()] : undefined;
  const direct = small || environment[name] || undefined;
  const path = environment[`${name}_FILE`] || undefined;
  const credentials = environment.CREDENTIALS_DIRECTORY;
  if (direct !== undefined && path !== undefined)
    return { problem: `${name}: is set, and ${name}_FILE too; keep one of them` };
  if (direct !== undefined) return { text: direct };
  const credential = credentials === undefined ? undefined : join(credentials, name);
  const file = path ?? (credential !== undefined && existsSync(credential) ? credential : undefined);
  if (file === undefined)
    return stateDirectories.has(name)
      ? { text: environment.STATE_DIRECTORY?.split(':')[0] || undefined }
      : {};
  try {
    return { text: readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'error';
    return {
      problem: `${name}_FILE: got ${file}, which cannot be read (${reason}); takes the path of a file`,
    };
  }
}

/** `AMI_PORT: got "abc"; takes a port number from 1 to 65535`. Of a list, only the first item that is wrong. */
function problemOf(
  name: string,
  text: string | undefined,
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[] = [],
): string {
  const { takes, secret } = metaOf(schema);
  if (text === undefined) return `${name}: is not set; takes ${takes}`;
  const [item] = issues.flatMap((issue) => (issue.code === 'custom' ? [issue.params?.wrong] : []));
  const shown = typeof item === 'string' ? item : text;
  const got = secret
    ? `an invalid value of ${text.length} characters`
    : JSON.stringify(shown.replace(/\/\/[^/@\s]*@/, '//…@'));
  return `${name}: got ${got}; takes ${takes}`;
}

/** The metadata of a variable's schema, also inside `prefault` and `optional`. */
export function metaOf(schema: z.ZodType): { takes?: string; secret?: boolean; example?: string } {
  for (let inner: unknown = schema; inner !== undefined; ) {
    const type = inner as z.ZodType & { def: { innerType?: unknown } };
    const meta = type.meta() as { takes?: string; secret?: boolean; example?: string } | undefined;
    if (meta?.takes !== undefined) return meta;
    inner = type.def.innerType;
  }
  return {};
}
