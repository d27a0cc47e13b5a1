import { fstatSync } from 'node:fs';

/** Priorities of syslog(3). systemd takes that of a line from its beginning, see sd-daemon(3). */
const priorities = { debug: 7, info: 6, warn: 4, error: 3, fatal: 2 } as const;

/** True if the journal of systemd reads this descriptor. `stream` is JOURNAL_STREAM, see systemd.exec(5). */
export function isReadByJournal(fd: number, stream: string | undefined): boolean {
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return stream === `${dev}:${ino}`;
}

/**
 * A line for the journal, made of the same line as JSON: its priority, then its text and its code in brackets. The
 * journal adds the time.
 */
export function journalLine(json: string, { asJson }: { readonly asJson: boolean }): string {
  const { level, code, msg } = JSON.parse(json) as {
    level: keyof typeof priorities;
    code: string;
    msg: string;
  };
  return `<${priorities[level]}>${asJson ? json : `${msg} [${code}]\n`}`;
}
