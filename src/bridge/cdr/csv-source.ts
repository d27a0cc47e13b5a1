import { z } from 'zod';
import { type RecordSource, RecordsRefused } from './cdr-source.ts';
import { recordsIn } from './csv-record.ts';
import { beginningOf, endOf, type FilePosition, lastLinesOf, readFrom } from './rotated-file.ts';

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
    beginning: (since) => beginningOf(path, since),
    async read(from) {
      const { lines, records, ...rest } = await readFrom(path, from, recordsIn);
      const entries = records.map(({ record, nth }) => ({
        record,
        from: (lines[nth] as (typeof lines)[number]).from,
      }));
      return { ...rest, entries };
    },
    idWidth: () => Number.POSITIVE_INFINITY,

    async probe() {
      const last = recordsIn((await lastLinesOf(path).catch(refuse)) ?? []).records.at(-1);
      if (last === undefined)
        throw new RecordsRefused('not there yet, or empty', todos.none, { mayCome: true });
      if (last.record === 'no-uniqueid')
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
