import { isUniqueid } from '../calls/uniqueid.ts';
import { type CdrRecord, localSeconds, secondsOf } from './cdr-record.ts';

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
    billsec: secondsOf(at(13)),
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
