import { execFile } from 'node:child_process';
import { existsSync, statfsSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, freemem, loadavg, release, tmpdir, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { fill, messages } from '../log/messages.ts';
import { createFile } from './denied.ts';
import { messageOf, parseJson } from './parse-json.ts';

export type BugReportOptions = {
  readonly out?: string;
  readonly hours: string;
  readonly unit?: string;
  readonly log?: string;
};

/** Adds the options of a command that writes a bug report. `unit`: whose log is read, in words. */
export function addBugReportOptions(command: Command, unit: string): Command {
  return command
    .option('--out <file>', 'where to write it (default: here, named by the time)')
    .option('--hours <n>', 'how many hours of the log', '6')
    .option('--unit <name>', `the systemd unit whose log to read (default: ${unit})`)
    .option('--log <file>', 'read the log from this file instead');
}

/** What a command says when the report is written. */
export const writtenText = (file: string) =>
  `wrote ${file}, with secrets, names and phone numbers left out. It is plain text: read it before you send it.`;

type Reporter = {
  /** Such as `pbx-bridge service`. */
  readonly program: string;
  readonly version: string;
  readonly settings: { readonly lines: readonly string[]; readonly secrets: readonly string[] };
  /** Whose disk is looked at. */
  stateDir(): string;
  /** The systemd unit of its log. */
  readonly unit: string;
  /** Its own sections: what they read is masked, and what cannot be read is said. */
  readonly parts: Readonly<Record<string, () => unknown>>;
  /** A last section, which is masked already. */
  readonly recording?: string | undefined;
};

/**
 * Writes a report as one text file to be mailed, without secrets and personal data, for its owner alone, and returns its
 * path. Without a name it is named by the time, here or, where this user may not write, in the folder for temporary
 * files. @throws if it exists.
 */
export async function writeBugReport(
  { program, version, settings, stateDir, unit, parts, recording }: Reporter,
  options: BugReportOptions,
): Promise<string> {
  if (!(Number(options.hours) > 0 && Number(options.hours) <= 720))
    throw new Error('--hours takes a number, up to 720');
  const mask = reportMask(settings.secrets);
  const now = new Date().toISOString();
  const sections = [`${program} ${version}, bug report of ${now}\n`];
  const add = (title: string, text: string) => sections.push(`== ${title}\n\n${text.trimEnd()}\n`);
  const { log: file, unit: chosen = unit, hours } = options;
  const source = file === undefined ? `unit ${chosen}, last ${hours} h` : 'of a file';
  const all = {
    machine: () => machineFacts(stateDir()),
    settings: () => settings.lines.join('\n'),
    ...parts,
    [`log (${source})`]: () => logOf(chosen, hours, file),
  };
  for (const [title, read] of Object.entries(all)) add(title, await masked(read, mask));
  if (recording !== undefined) add('recording', recording);

  const write = (path: string) => {
    createFile(path, () => writeFileSync(path, sections.join('\n'), { flag: 'wx', mode: 0o600 }));
    return path;
  };
  if (options.out !== undefined) return write(options.out);
  const name = `${program.replace(' ', '-')}-bugreport-${now.slice(0, 19).replace(/[:T]/g, '-')}.txt`;
  try {
    return write(name);
  } catch (error) {
    if (!/^(EACCES|EROFS)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return write(join(tmpdir(), name));
  }
}

/** What is read, masked, objects as JSON; or why it cannot be read. */
async function masked(read: () => unknown, mask: (text: string) => string): Promise<string> {
  try {
    const content = await read();
    return typeof content === 'string'
      ? mask(content)
      : JSON.stringify(maskValue(content, mask), undefined, 2);
  } catch (error) {
    return mask(`cannot be read: ${messageOf(error)}`);
  }
}

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

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mask(name), maskValue(item, mask)]));
}

/** The machine, without its name. `folder`: whose disk. */
function machineFacts(folder: string): Record<string, unknown> {
  const mb = (bytes: number) => Math.round(bytes / 2 ** 20);
  const disk = existsSync(folder) ? statfsSync(folder) : undefined;
  return {
    system: `${process.platform} ${release()} ${arch()}`,
    node: process.version,
    processors: availableParallelism(),
    load: loadavg()
      .map((n) => n.toFixed(2))
      .join(' '),
    memoryMb: mb(totalmem()),
    freeMemoryMb: mb(freemem()),
    upHours: Math.round(uptime() / 3600),
    disk: disk ? `${mb(disk.bavail * disk.bsize)} MB free` : 'its folder cannot be seen',
    runAsUserId: process.getuid?.(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

const mostLogBytes = 4 << 20;

type LogLine = {
  readonly text: string;
  /** When the journal got it; absent in a file, whose lines contain their time. */
  readonly time?: string;
};

/** The log of the last hours, of a systemd unit or from a file. */
async function logOf(unit: string, hours: string, file: string | undefined): Promise<string> {
  const since = new Date(Date.now() - Number(hours) * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const args = [
    ...['-q', '-o', 'json', '--output-fields=MESSAGE', '--all', '--no-pager', '-n', '10000'],
    ...['--since', `${since} UTC`, '-u', unit],
  ];
  try {
    if (file !== undefined) {
      const text = await outputOf('tail', ['-c', String(mostLogBytes), '--', file]);
      return logText(text.split('\n').map((line) => ({ text: line })));
    }
    const entries = await outputOf('journalctl', args);
    if (entries.trim() === '') throw new Error(`the journal has no lines of ${unit} for this user`);
    return logText(entriesOf(entries.slice(-mostLogBytes)));
  } catch (error) {
    throw new Error(`${messageOf(error)}. Run this command as root, or name the file of the log with --log.`);
  }
}

const outputOf = async (command: string, args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { maxBuffer: 64 << 20 })).stdout;

function entriesOf(output: string): LogLine[] {
  return output.split('\n').flatMap((line) => {
    const { MESSAGE, __REALTIME_TIMESTAMP } = (parseJson(line) ?? {}) as Record<string, unknown>;
    const time = new Date(Number(__REALTIME_TIMESTAMP) / 1_000);
    return typeof MESSAGE === 'string' ? [{ text: MESSAGE, time: time.toISOString() }] : [];
  });
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
