import { type Operator, openOperator } from '../bridge/outbox/operator.ts';
import { openReader, type Reader } from '../bridge/outbox/reader.ts';
import { bridgeSections, loadConfig, readEnvironment, type WantedInstance } from './config/env.ts';
import { logSection } from './config/log-section.ts';
import type { Environment } from './config/variable.ts';
import { createTerminal, type Output, type Terminal } from './text/terminal.ts';

/** The process's input and output, replaced in tests. */
export type Io = {
  readonly out: Output;
  readonly err: Output;
  readonly in: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly version: string;
  environment(instance?: WantedInstance): Environment;
  exit(code: number): void;
};

export type BridgeSettings = ReturnType<typeof bridgeConfig>;

/** What each operators' command is given. */
export type Context = {
  readonly io: Io;
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /** Prints a result as text, or as JSON. */
  printResult(value: unknown, text: string): void;
  config(): BridgeSettings;
};

export function processIo(version: string): Io {
  // The reader has closed the pipe, as in `pbx-bridge ... | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  return {
    out: process.stdout,
    err: process.stderr,
    in: process.stdin,
    version,
    environment: (instance) => readEnvironment(process.cwd(), instance),
    exit(code) {
      process.exitCode = code;
    },
  };
}

export function createContext(io: Io, json: boolean): Context {
  const { logging } = loadConfig({ logging: logSection }, { NO_COLOR: io.environment().NO_COLOR });
  const terminal = createTerminal(io.out, { colour: logging.colour && !json });
  return {
    io,
    json,
    terminal,
    printError: createTerminal(io.err, { colour: false }).print,
    printResult: (value, text) => (json ? terminal.json(value) : terminal.wrapped('', text, 0)),
    config: () => bridgeConfig(io.environment()),
  };
}

function bridgeConfig(environment: Environment) {
  return loadConfig(bridgeSections, environment);
}

/** Opens the state directory for reading. If it cannot be read, prints why and returns undefined. */
export function openState({ printError }: Context, stateDir: string): Reader | undefined {
  let why =
    'check that STATE_DIR is that of the bridge, that the bridge was started once, and that this user may read it';
  try {
    const reader = openReader(stateDir);
    if (reader !== undefined) return reader;
  } catch (error) {
    // SQLite's only message for a file of another user.
    if (!/unable to open/.test(String(error))) throw error;
    why = 'run this command as the user of the bridge, or as root';
  }
  printError(`cannot read the state of the bridge in ${stateDir}: ${why}`);
  return undefined;
}

/** Opens the state directory for changes. */
export function openForChange(stateDir: string): Operator {
  const operator = openOperator(stateDir);
  if (operator === undefined) throw new Error(`no state in ${stateDir}: start the bridge once`);
  return operator;
}

/** Exit codes of the operators' commands; 78 (EX_CONFIG) means invalid configuration. */
export const exitCodes = {
  /** Success, no problem found. */
  ok: 0,
  /** The command failed. */
  failed: 1,
  /** The command worked, and found a problem. */
  problem: 2,
  /** The command worked, and found nothing that matches. */
  notFound: 3,
} as const;

export const EXIT_CODES_HELP = `Exit codes: 0 ok, 1 command failed, 2 problem found, 3 nothing found, 78 invalid configuration.`;
