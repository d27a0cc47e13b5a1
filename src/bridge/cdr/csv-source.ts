import { z } from 'zod';
import { isUniqueid } from '../calls/open-call.ts';
import { type CdrRecord, localSeconds, type RecordSource, RecordsRefused, secondsOf } from './cdr-source.ts';
import { endOf, type FilePosition, lastLineOf, readFrom } from './rotated-file.ts';

const position = z.object({
  inode: z.number().int(),
  offset: z.number().int(),
  tail: z.string(),
}) satisfies z.ZodType<FilePosition>;

/** cdr-csv/Master.csv, which every Asterisk can write (cdr_csv). */
export function createCsvSource(path: string): RecordSource<FilePosition> {
  return {
    name: path,
    positionOf: (value) => position.safeParse(value).data,
    end: () => endOf(path),
    async read(from) {
      const { lines, ...rest } = await readFrom(path, from);
      return { ...rest, entries: lines.map((line) => ({ record: parseLine(line.text), from: line.from })) };
    },
    idWidth: () => Number.POSITIVE_INFINITY,

    async probe() {
      const last = await lastLineOf(path).catch(refuse);
      if (last === undefined)
        throw new RecordsRefused('not there yet, or empty', todos.none, { mayCome: true });
      if (parseLine(last) === 'no-uniqueid')
        throw new RecordsRefused('the records have no uniqueid', todos.noUniqueid);
      return 'can be read';
    },
    async close() {},
  };
}

const todos = {
  none: 'Asterisk creates it with the first call: see cdr.conf and loguniqueid=yes. Or correct CDR_SOURCE.',
  noRight:
    "Let the bridge's user into Asterisk's group (adduser pbx-bridge asterisk), or correct CDR_SOURCE.",
  noUniqueid:
    'Set loguniqueid=yes in section [csv] of cdr.conf, then: asterisk -rx "module reload cdr_csv.so".',
} as const;

function refuse(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw new RecordsRefused(`cannot be read (${error.code})`, todos.noRight);
}

/** Columns before uniqueid, which is there with `loguniqueid=yes`. Source: Asterisk, cdr/cdr_csv.c. */
const fixedColumns = 16;

/** Reads one line of cdr-csv/Master.csv, without its line break. `bad`: not a record; `no-uniqueid`: one without it. */
export function parseLine(line: string): CdrRecord | 'bad' | 'no-uniqueid' {
  const values = columnsOf(line);
  if (values === undefined || values.length < fixedColumns) return 'bad';
  const at = (column: number) => values[column] ?? '';
  if (!isUniqueid(at(16))) return 'no-uniqueid';
  return {
    src: at(1),
    dst: at(2),
    dcontext: at(3),
    channel: at(5),
    dstchannel: at(6),
    lastapp: at(7),
    lastdata: at(8),
    disposition: at(14),
    uniqueid: at(16),
    did: '',
    start: localSeconds(at(9)),
    duration: secondsOf(at(12)),
  };
}

/**
 * Texts are in quotes, a quote within is doubled; numbers have no quotes. csv-parse takes 13 times as long for a line,
 * which would delay call events while a long file is read.
 */
const column = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

function columnsOf(line: string): string[] | undefined {
  const values: string[] = [];
  column.lastIndex = 0;
  for (;;) {
    const found = column.exec(line);
    if (found === null) return undefined;
    values.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') return values;
  }
}
