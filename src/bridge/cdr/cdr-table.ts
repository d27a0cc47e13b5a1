import { channelName, firstLine } from '../calls/line-break.ts';
import { isUniqueid } from '../calls/open-call.ts';
import { type CdrRecord, localSeconds, RecordsRefused, secondsOf } from './cdr-source.ts';

/** Columns used of a table of call records, as named in Asterisk's samples. */
const required = ['uniqueid', 'channel', 'dstchannel', 'dcontext', 'disposition'] as const;
const optional = ['dst', 'lastapp', 'lastdata', 'did', 'calldate', 'start', 'duration'] as const;
/** Columns that may contain the caller's number, in order of preference: `cnum` is FreePBX's, `clid` is `"Name" <number>`. */
const callers = ['src', 'cnum', 'clid'] as const;

export type Row = Readonly<Record<string, unknown>>;

/** Selects the columns to read from those that exist. Throws RecordsRefused if a required one is missing. */
export function columnsToRead(names: readonly string[], table: string, todo: string): string[] {
  const missing: string[] = required.filter((name) => !names.includes(name));
  if (!callers.some((name) => names.includes(name))) missing.push('src');
  if (missing.length > 0) throw new RecordsRefused(`${table} has no column ${missing.join(', ')}`, todo);
  return [...required, ...optional, ...callers].filter((name) => names.includes(name));
}

/** What is wrong with a uniqueid by which no call can be found. */
export function faultOf(uniqueid: string, idWidth: number): 'no-uniqueid' | 'cut-uniqueid' | undefined {
  if (uniqueid === '') return 'no-uniqueid';
  return !isUniqueid(uniqueid) && uniqueid.length >= idWidth ? 'cut-uniqueid' : undefined;
}

/** `idWidth`: how many characters the column `uniqueid` can hold, which may have cut off the rest. */
export function recordOf(
  row: Row,
  idWidth = Number.POSITIVE_INFINITY,
): CdrRecord | 'no-uniqueid' | 'cut-uniqueid' {
  const text = (name: string) => (row[name] === null || row[name] === undefined ? '' : String(row[name]));
  const line = (name: string) => firstLine(text(name));
  const uniqueid = line('uniqueid');
  const fault = faultOf(uniqueid, idWidth);
  if (fault !== undefined) return fault;
  return {
    src: line('src') || line('cnum') || firstLine(/(?:^|>)[^<>]*<([^>]*)>\s*$/.exec(text('clid'))?.[1] ?? ''),
    dst: line('dst'),
    dcontext: line('dcontext'),
    channel: channelName(text('channel')),
    dstchannel: channelName(text('dstchannel')),
    lastapp: line('lastapp'),
    lastdata: line('lastdata'),
    disposition: line('disposition'),
    uniqueid,
    did: line('did'),
    start: localSeconds(text('calldate') || text('start')),
    duration: secondsOf(text('duration')),
  };
}
