import type { MessageCode } from './messages.ts';

export type LogFields = Readonly<Record<string, unknown>>;

/** The logger as every part gets it: a parameter, narrowed on the way down with `child`. */
export type Log = {
  /** Logs one message of the catalogue with its fields. Never throws. */
  say(code: MessageCode, fields?: LogFields): void;
  /** A logger that adds these fields to every line: a part's name, a call's id. */
  child(fields: LogFields): Log;
};

/** Says nothing: for tests and tools that do not log. */
export const silentLog: Log = { say: () => {}, child: () => silentLog };
