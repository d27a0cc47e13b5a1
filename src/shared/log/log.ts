import { createRequire } from 'node:module';
import { pino, stdTimeFunctions } from 'pino';
import { journalLine } from './journal.ts';
import { type LogDestination, type LogStatus, openLogDestination } from './log-destination.ts';
import { fill, type MessageCode, messages } from './messages.ts';
import { type Redaction, redactFields } from './redact.ts';

export type LogFields = Readonly<Record<string, unknown>>;

/** The logger that each part of a program is given as a parameter; `child` adds fields for a part. */
export type Log = {
  /** Logs one message of the catalogue with its fields. Never throws. */
  say(code: MessageCode, fields?: LogFields): void;
  /** Returns a logger that adds these fields to every line, such as a part's name. */
  child(fields: LogFields): Log;
};

export type LogOptions = {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'auto' | 'pretty' | 'json';
  readonly numbers: 'mask' | 'show';
  /** False if NO_COLOR is set (no-color.org). */
  readonly colour: boolean;
  /** True if the journal of systemd reads the lines: they begin with their priority. */
  readonly journal?: boolean;
  /** Values that must never appear in a line. */
  readonly secrets: readonly string[];
  /** Where lines go; standard output if absent. */
  readonly destination?: LogDestination;
};

/** The log of a program; its level and secrets can be changed while it runs. */
export type ProgramLog = Log & {
  /** Adds `secrets` to the existing ones. */
  change(options: Pick<LogOptions, 'level' | 'secrets'>): void;
  status(): LogStatus;
};

/** Logs nothing: for tests and tools. */
export const silentLog: Log = { say: () => {}, child: () => silentLog };

/** Creates the log of a program: one line per message. Every field is redacted here, so callers need not. */
export function createLog(options: LogOptions): ProgramLog {
  const destination = options.destination ?? openLogDestination({ fd: 1, onDropped });
  const format = lineFormat(options);
  const root = pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => destination.write(format(line)) },
  );
  const secrets = [...options.secrets];
  const redaction = { secrets, maskNumbers: options.numbers === 'mask' };
  const log = logWith((level, fields, text) => root[level](fields, text), redaction, {});
  function onDropped(count: number, since: number) {
    log.say('log.lines-dropped', { count, since: new Date(since).toISOString() });
  }
  return {
    ...log,
    change({ level, secrets: more }) {
      root.level = level;
      secrets.push(...more.filter((secret) => !secrets.includes(secret)));
    },
    status: () => destination.status(),
  };
}

/** Returns a function that formats a line, given as JSON. */
function lineFormat({ format, journal, colour }: LogOptions): (line: string) => string {
  if (journal) return (line) => journalLine(line, { asJson: format === 'json' });
  const onTerminal = process.stdout.isTTY === true;
  if (format === 'json' || (format === 'auto' && !onTerminal)) return (line) => line;
  // Loaded where a person reads the log: 30 files, at each start of a command.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return prettyFactory({
    colorize: onTerminal && colour,
    translateTime: 'SYS:HH:MM:ss.l',
    // The text contains the fields that a reader needs.
    hideObject: true,
  });
}

type Level = (typeof messages)[MessageCode]['level'];
type Write = (level: Level, fields: LogFields, text: string) => void;

function logWith(write: Write, redaction: Redaction, bound: LogFields): Log {
  return {
    say(code, fields = {}) {
      const message = messages[code];
      const safe = redactFields({ ...bound, ...fields }, redaction);
      write(message.level, { code, ...safe }, fill(message.text, safe));
    },
    child: (fields) => logWith(write, redaction, { ...bound, ...fields }),
  };
}

const WINDOW_MS = 60_000;

/**
 * Limits a log message to once a minute, for what may happen with every call. The returned function is to be called
 * each time; it calls `report` the first time, and later with the number of times suppressed since then.
 * @param now ms.
 */
export function oncePerMinute(now: () => number): (report: (suppressed: number) => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (report) => {
    // Either way: the clock may be set back.
    if (Math.abs(now() - lastAt) < WINDOW_MS) {
      suppressed += 1;
      return;
    }
    lastAt = now();
    report(suppressed);
    suppressed = 0;
  };
}
