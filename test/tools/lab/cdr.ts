import { until } from '../until.ts';
import type { Pbx } from './asterisk.ts';

/** A line of cdr-csv/Master.csv: Asterisk's own word on a call, or on a stretch of it. */
export type CdrRecord = {
  readonly dst: string;
  readonly dcontext: string;
  readonly channel: string;
  /** The other end; '' if there was none. */
  readonly dstchannel: string;
  readonly disposition: string;
  readonly uniqueid: string;
  /** The line itself. */
  readonly line: string;
};

/** The columns of the file, in order: see cdr_csv.c, with loguniqueid and loguserfield. */
const columns = {
  dst: 2,
  dcontext: 3,
  channel: 5,
  dstchannel: 6,
  disposition: 14,
  uniqueid: 16,
} as const;

export function parseCdr(text: string): CdrRecord[] {
  // A text in quotes may have line breaks.
  return (text.match(/(?:"[^"]*"|[^"\n])+/g) ?? []).map((line) => {
    const values = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1] ?? m[2] ?? '');
    const at = (column: keyof typeof columns) => values[columns[column]] ?? '';
    return {
      dst: at('dst'),
      dcontext: at('dcontext'),
      channel: at('channel'),
      dstchannel: at('dstchannel'),
      disposition: at('disposition'),
      uniqueid: at('uniqueid'),
      line,
    };
  });
}

/**
 * True if Asterisk says that somebody answered this call: one of the caller's own records has another end, or the caller is
 * that of another record (Bridge, a conference), which is not a caller who came in on the same trunk and waits in the same conference, nor an application (voicemail).
 */
export function wasAnswered(records: readonly CdrRecord[], uniqueid: string): boolean {
  const channels = new Set(records.flatMap((each) => (each.uniqueid === uniqueid ? each.channel : [])));
  const wasTaken = records.some(
    ({ channel, dstchannel, disposition }) =>
      disposition === 'ANSWERED' &&
      channels.has(dstchannel) &&
      endpointOf(channel) !== endpointOf(dstchannel) &&
      (!channel.startsWith('Local/') || isConsultation(records, channel, dstchannel)),
  );
  if (wasTaken) return true;
  return records.some(
    (record) =>
      record.uniqueid === uniqueid &&
      record.disposition === 'ANSWERED' &&
      record.dstchannel !== '' &&
      !records.some(
        ({ channel }) => channel === record.dstchannel && endpointOf(channel) === endpointOf(record.channel),
      ) &&
      !endsInApplication(records, record.dstchannel),
  );
}

/**
 * True for a Local channel whose other half has records, and reached no phone by any: it ran an application. A phone that was in
 * a conference before has that half as its other end.
 */
function endsInApplication(records: readonly CdrRecord[], channel: string): boolean {
  if (!/^Local\/.*;1$/.test(channel)) return false;
  const half = channel.replace(/1$/, '2');
  if (records.some(({ dstchannel, disposition }) => dstchannel === half && disposition === 'ANSWERED'))
    return false;
  const beyond = records.filter((each) => each.channel === half);
  return beyond.length > 0 && beyond.every(({ dstchannel }) => dstchannel === '');
}

/** True for the far half of a Local pair with which somebody else than another caller has asked this one. */
function isConsultation(records: readonly CdrRecord[], channel: string, caller: string): boolean {
  const near = channel.replace(/2$/, '1');
  return records.some((each) => each.dstchannel === near && endpointOf(each.channel) !== endpointOf(caller));
}

/** `PJSIP/trunk` of `PJSIP/trunk-0000001a`. */
const endpointOf = (channel: string) => channel.replace(/-[0-9a-f]+$/, '');

/** All records. They are written a moment after a call has ended: waits until each of the `callers` has one. */
export async function cdrOf(pbx: Pbx, callers: readonly string[]): Promise<CdrRecord[]> {
  let missing = callers;
  const complete = async () => {
    const records = parseCdr(await pbx.cdr());
    const written = new Set(records.map(({ uniqueid }) => uniqueid));
    missing = callers.filter((caller) => !written.has(caller));
    return missing.length === 0 && records;
  };
  return until('Asterisk has written a record of each call', complete, {
    state: () => ({ missing }),
    everyMs: 100,
  });
}
