import { channelName, firstLine } from '../calls/line-break.ts';
import { type CdrRecord, localSeconds, secondsOf } from './cdr-source.ts';

/** Columns before uniqueid, which is there with `loguniqueid=yes`. Source: Asterisk, cdr/cdr_csv.c. */
const fixedColumns = 16;

/** What a record says; `bad`: it is none, `no-uniqueid`: Asterisk does not write its uniqueid. */
type ParsedRecord = CdrRecord | 'bad' | 'no-uniqueid';

/** A record, or a line that cannot be read as one, and the line in which it begins. */
type RecordAt = { readonly record: ParsedRecord; readonly nth: number };

/** More than the columns of a record have together. */
const longestRecord = 16 * 1024;

/**
 * The records in these lines of cdr-csv/Master.csv. A text with a line break goes on in the next line, up to the quote that
 * ends it; a line that is a record in itself is one, so that a line which Asterisk could not finish costs itself alone. No
 * text can have such a line in it: Asterisk doubles each quote in a text.
 * @returns `unfinished`: how many of the last lines are the beginning of a record.
 */
export function recordsIn(lines: readonly string[]): { records: RecordAt[]; unfinished: number } {
  const records: RecordAt[] = [];
  for (let nth = 0; nth < lines.length; ) {
    const next = recordAt(lines, nth);
    if (next === undefined) return { records, unfinished: lines.length - nth };
    records.push({ record: next.record, nth });
    nth += next.count;
  }
  return { records, unfinished: 0 };
}

/** The record that begins here, or `bad` for a line that is none, and how many lines it has; undefined if it has not ended. */
function recordAt(
  lines: readonly string[],
  nth: number,
): { record: ParsedRecord; count: number } | undefined {
  const first = () => ({ record: parseRecord(lines[nth] as string), count: 1 });
  let isOpen = false;
  let length = 0;
  for (let i = nth; i < lines.length; i++) {
    const line = lines[i] as string;
    if (i > nth && columnsOf(line) !== undefined) return first();
    length += line.length + 1;
    if (length > longestRecord) return first();
    if (hasOddQuotes(line)) isOpen = !isOpen;
    if (isOpen) continue;
    const record = parseRecord(lines.slice(nth, i + 1).join('\n'));
    return record === 'bad' && i > nth ? first() : { record, count: i + 1 - nth };
  }
  return undefined;
}

function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

export function parseRecord(text: string): ParsedRecord {
  const values = columnsOf(text);
  if (values === undefined) return 'bad';
  const at = (column: number) => firstLine(values[column] ?? '');
  const uniqueid = at(16);
  // A text with a blank is the userfield, which is there in place of the uniqueid.
  if (uniqueid === '' || /\s/.test(uniqueid)) return 'no-uniqueid';
  return {
    src: at(1),
    dst: at(2),
    dcontext: at(3),
    channel: channelName(values[5] ?? ''),
    dstchannel: channelName(values[6] ?? ''),
    lastapp: at(7),
    lastdata: at(8),
    disposition: at(14),
    uniqueid,
    did: '',
    start: localSeconds(at(9)),
    duration: secondsOf(at(12)),
  };
}

/**
 * Texts are in quotes, a quote within is doubled; numbers and an empty time have no quotes. csv-parse takes 13 times as
 * long for a line, which would delay call events while a long file is read.
 */
const column = /(?:"((?:[^"]|"")*)"|(\d*))(,|$)/y;

/** The columns of a record; undefined if there are too few, a text is not in quotes, or channel or times are none. */
function columnsOf(text: string): string[] | undefined {
  const values: string[] = [];
  column.lastIndex = 0;
  for (;;) {
    const found = column.exec(text);
    if (found === null) return undefined;
    values.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') break;
  }
  // Within a text all quotes are doubled: nothing there is the name of a channel in quotes.
  const hasChannel = /[a-z]/i.test(values[5] ?? '');
  const hasTimes = /^\d+ \d+$/.test(`${values[12]} ${values[13]}`);
  return values.length >= fixedColumns && hasChannel && hasTimes ? values : undefined;
}
