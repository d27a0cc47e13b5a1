import { execFile } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, statfsSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, freemem, loadavg, release, tmpdir, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import { fill, messages } from '../log/messages.ts';
import { createFile } from './create-file.ts';
import { messageOf } from './message-of.ts';
import { parseJson } from './parse-json.ts';

/** A report as one text file to be mailed: sections without secrets and personal data. */
type BugReport = {
  /** Adds a section. Objects become JSON; all texts in them are masked. */
  add(title: string, content: unknown): void;
  /** Adds a section that holds nothing to mask. */
  addMasked(title: string, text: string): void;
  /** Adds a section, or why it cannot be read. */
  attempt(title: string, read: () => unknown): Promise<void>;
  /**
   * Writes the file, for its owner alone, and returns its path. Without a name it is named by the time, here or, where this
   * user may not write, in the folder for temporary files. @throws if it exists.
   */
  write(file?: string): string;
};

export type BugReportOptions = {
  readonly out?: string;
  readonly hours?: string;
  readonly unit?: string;
  readonly log?: string;
};

/** What a command says when the report is written. */
export const writtenText = (file: string) =>
  `wrote ${file}, with secrets, names and phone numbers left out. It is plain text: read it before you send it.`;

/** What replaces personal data and secrets in a report. `secrets`: values that must not appear. */
export function reportMask(secrets: readonly string[]): (text: string) => string {
  const known = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret.length >= 4)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, '[secret]');
    // In quotes are the words of others, such as the API's reason for a refusal.
    masked = masked.replace(/".*"/g, '"[left out]"');
    return masked
      .replace(/\b(cia|adm)_[0-9a-f]{16,}/g, '[token]')
      .replace(/\b(Bearer|Basic) +[\w.~+/=-]+/gi, '$1 [token]')
      .replace(/(\/\/)[^/@\s]*@/g, '$1[login]@')
      .replace(/[^\s@<>"'`,;:=()[\]]+@[^\s@<>"'`,;:=()[\]]+\.[a-z]{2,}/gi, '[mail address]')
      .replace(keptOrNumber, (part, kept?: string) => kept ?? `[${part.replace(/\D/g, '').length} digits]`);
  };
}

/** Times, addresses and the ids of calls and channels; or six digits and more, which may be someone's number. */
const keptOrNumber = new RegExp(
  [
    '(',
    [
      String.raw`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?(?!\d)`,
      String.raw`(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])`,
      String.raw`(?<!\d)\d{9,11}\.\d{1,8}(?!\d)`,
      '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
      String.raw`(?<=\/[\w.+-]+)-[0-9a-f]{8}(?![\w@])`,
    ].join('|'),
    ')',
    String.raw`|\+?\d(?:[ ()/-]{0,2}\d){5,}`,
  ].join(''),
  'g',
);

export function makeBugReport(program: string, version: string, secrets: readonly string[]): BugReport {
  const mask = reportMask(secrets);
  const sections = [`${program} ${version}, bug report of ${new Date().toISOString()}\n`];
  const addMasked = (title: string, text: string) => void sections.push(`== ${title}\n\n${text.trimEnd()}\n`);
  const add = (title: string, content: unknown) =>
    addMasked(
      title,
      typeof content === 'string' ? mask(content) : JSON.stringify(maskValue(content, mask), undefined, 2),
    );
  return {
    add,
    addMasked,
    async attempt(title, read) {
      try {
        add(title, await read());
      } catch (error) {
        add(title, `cannot be read: ${messageOf(error)}`);
      }
    },
    write(file) {
      const named = `${program.replace(' ', '-')}-bugreport-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-')}.txt`;
      const write = (path: string) => {
        createFile(path, () => writeFileSync(path, sections.join('\n'), { flag: 'wx', mode: 0o600 }));
        return path;
      };
      if (file !== undefined) return write(file);
      try {
        return write(named);
      } catch (error) {
        if (!/^(EACCES|EROFS)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
        return write(join(tmpdir(), named));
      }
    },
  };
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), maskValue(item, mask)]));
}

/** The machine, without its name. `folder`: whose disk. */
export function machineFacts(folder: string): Record<string, unknown> {
  const mb = (bytes: number) => Math.round(bytes / 2 ** 20);
  return {
    ...{ system: `${process.platform} ${release()} ${arch()}`, node: process.version },
    ...{
      processors: availableParallelism(),
      load: loadavg()
        .map((n) => n.toFixed(2))
        .join(' '),
    },
    ...{ memoryMb: mb(totalmem()), freeMemoryMb: mb(freemem()), upHours: Math.round(uptime() / 3600) },
    disk: attempt(() => {
      const { bavail, bsize } = statfsSync(folder);
      return `${mb(bavail * bsize)} MB free`;
    }),
    ...{ runAsUserId: process.getuid?.(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
  };
}

function attempt<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return messageOf(error);
  }
}

const MAX_LOG_BYTES = 4 << 20;

/** Adds the log of the last hours, of a systemd unit or from a file. */
export async function addLog(
  report: BugReport,
  unit: string,
  { log: file, unit: chosen = unit, hours = '6' }: BugReportOptions,
): Promise<void> {
  if (!(Number(hours) > 0 && Number(hours) <= 720)) throw new Error('--hours takes a number, up to 720');
  try {
    const lines = file === undefined ? await journal(chosen, Number(hours)) : linesOf(endOf(file));
    report.add(
      `log (${file === undefined ? `unit ${chosen}, last ${hours} h` : 'of a file'})`,
      logText(lines),
    );
  } catch (error) {
    const todo = 'Run this command as root, or name the file of the log with --log.';
    report.add('log', `cannot be read: ${messageOf(error)}. ${todo}`);
  }
}

type LogLine = {
  readonly text: string;
  /** When the journal got it; absent in a file, whose lines contain their time. */
  readonly time?: string;
};

const linesOf = (text: string): LogLine[] => text.split('\n').map((text) => ({ text }));

function journal(unit: string, hours: number): Promise<LogLine[]> {
  const since = new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const args = [
    ...['-q', '-o', 'json', '--output-fields=MESSAGE', '--all', '--no-pager', '-n', '10000'],
    ...['--since', `${since} UTC`, '-u', unit],
  ];
  return new Promise((resolve, reject) => {
    execFile('journalctl', args, { maxBuffer: 64 << 20 }, (error, out) => {
      if (error) reject(error);
      else if (out.trim() === '') reject(new Error(`the journal has no lines of ${unit} for this user`));
      else resolve(entriesOf(out.slice(-MAX_LOG_BYTES)));
    });
  });
}

function entriesOf(output: string): LogLine[] {
  return output.split('\n').flatMap((line) => {
    const { MESSAGE, __REALTIME_TIMESTAMP } = (parseJson(line) ?? {}) as Record<string, unknown>;
    const time = new Date(Number(__REALTIME_TIMESTAMP) / 1_000);
    return typeof MESSAGE === 'string' ? [{ text: MESSAGE, time: time.toISOString() }] : [];
  });
}

function endOf(file: string): string {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, MAX_LOG_BYTES));
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(fd);
  }
}

/** Fields with the words of people or of other programs: they may name customers. */
const leftOut = new Set(['msg', 'reply', 'name', 'account', 'integration', 'user', 'who', 'input', 'body']);

/**
 * Log lines, made again from the catalogue's texts without fields that may hold names. Of other output, such as a
 * crash, only the places in the code are kept.
 */
function logText(logged: readonly LogLine[]): string {
  let skipped = 0;
  const lines = logged.flatMap(({ text: line, time: at }) => {
    const entry = (parseJson(line) ?? entryOf(line, at)) as Record<string, unknown> | undefined;
    const message = messages[String(entry?.code) as keyof typeof messages];
    if (message !== undefined) {
      // The host of an account's webhook names its customer.
      const ofWebhook = String(entry?.code).startsWith('webhook.');
      const known = Object.entries(entry as object).map(([key, value]) => [
        key,
        leftOut.has(key) || (ofWebhook && key === 'host') ? '[left out]' : value,
      ]);
      const { time, level, code, ...fields } = Object.fromEntries(known) as Record<string, unknown>;
      // The text of an announced problem may name a phone system; that of the catalogue does not.
      const problem = messages[String(fields.problem) as keyof typeof messages];
      if (fields.what !== undefined && fields.problem !== undefined)
        fields.what = problem?.text ?? '[left out]';
      return [`${time} ${level} ${code} ${fill(message.text, fields)}`];
    }
    if (/^\s+at \S/.test(line)) return [line];
    const [kind] = /^(?:Uncaught )?\w*Error\b/.exec(line) ?? [];
    if (kind !== undefined) return [`${kind}: [left out]`];
    if (line.trim() !== '') skipped += 1;
    return [];
  });
  if (skipped > 0) lines.push(`(${skipped} lines left out that are not from the log)`);
  return lines.join('\n');
}

/** The entry of a line as the journal has it: the catalogue's text with its fields, then the code in brackets. */
function entryOf(line: string, time = '-'): Record<string, unknown> | undefined {
  const [, text = '', code = ''] = /^(.*) \[([a-z.-]+)\]$/.exec(line) ?? [];
  const message = messages[code as keyof typeof messages];
  if (message === undefined) return undefined;
  const parts = message.text.split(/\{(\w+)\}/);
  // Where it is not clear which field a word belongs to, it belongs to the one that is left out.
  const pattern = parts.map((part, i) =>
    i % 2 === 0 ? RegExp.escape(part) : leftOut.has(part) || part === 'host' ? '(.*)' : '(.*?)',
  );
  const values = new RegExp(`^${pattern.join('')}$`).exec(text)?.slice(1) ?? [];
  const names = parts.filter((_, i) => i % 2 === 1);
  const fields = Object.fromEntries(values.map((value, i) => [names[i], value]));
  return { time, level: message.level, code, ...fields };
}
