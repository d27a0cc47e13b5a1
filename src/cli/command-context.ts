import { bridgeSections, type Environment, loadConfig, readEnvironment } from './config/env.ts';
import { logSection } from './config/log-section.ts';
import { createTerminal, type Output, type Terminal } from './text/terminal.ts';

/** The process's input and output, replaced in tests. */
export type Io = {
  readonly out: Output;
  readonly err: Output;
  readonly in: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly version: string;
  environment(): Environment;
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
    environment: readEnvironment,
    exit(code) {
      process.exitCode = code;
    },
  };
}

export function createContext(io: Io, json: boolean): Context {
  const { logging } = loadConfig({ logging: logSection }, { NO_COLOR: io.environment().NO_COLOR });
  return {
    io,
    json,
    terminal: createTerminal(io.out, { colour: logging.colour && !json }),
    printError: createTerminal(io.err, { colour: false }).print,
    config: () => bridgeConfig(io.environment()),
  };
}

function bridgeConfig(environment: Environment) {
  return loadConfig(bridgeSections, environment);
}
