import { type CdrRecord, isUniqueid } from './cdr-record.ts';
import { RecordsRefused } from './cdr-source.ts';

/** What is used of a table of call records. Sites choose its columns; these are the names in all of Asterisk's samples. */
const needed = ['uniqueid', 'channel', 'dstchannel', 'dcontext', 'disposition'] as const;
const useful = ['dst', 'lastapp', 'lastdata', 'did'] as const;
/** Of these the first that is there has the caller's number: FreePBX's own column last, `"Name" <number>` for want of all. */
const callers = ['src', 'cnum', 'clid'] as const;

export type Row = Readonly<Record<string, unknown>>;

/** Which of the columns with these names are to be read. Throws RecordsRefused if some are missing. */
export function columnsToRead(names: readonly string[], table: string, todo: string): string[] {
  const missing: string[] = needed.filter((name) => !names.includes(name));
  if (!callers.some((name) => names.includes(name))) missing.push('src');
  if (missing.length > 0) throw new RecordsRefused(`${table} has no column ${missing.join(', ')}`, todo);
  return [...needed, ...useful, ...callers].filter((name) => names.includes(name));
}

export function recordOf(row: Row): CdrRecord | 'no-uniqueid' {
  const text = (name: string) => (row[name] === null || row[name] === undefined ? '' : String(row[name]));
  const uniqueid = text('uniqueid');
  if (!isUniqueid(uniqueid)) return 'no-uniqueid';
  return {
    src: text('src') || text('cnum') || (/<([^>]*)>\s*$/.exec(text('clid'))?.[1] ?? ''),
    dst: text('dst'),
    dcontext: text('dcontext'),
    channel: text('channel'),
    dstchannel: text('dstchannel'),
    lastapp: text('lastapp'),
    lastdata: text('lastdata'),
    disposition: text('disposition'),
    uniqueid,
    did: text('did'),
  };
}
