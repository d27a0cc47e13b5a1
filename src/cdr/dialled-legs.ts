import { channelKind } from '../calls/channel.ts';
import type { CdrRecord } from './cdr-record.ts';

/** What other channels' records of one run of Asterisk say: who was dialled, and what lies behind a Local pair. */
export type Legs = {
  add(record: CdrRecord): void;
  /** True if the PBX dialled this channel: it did not come in. */
  wasDialled(channel: string): boolean;
  /** The record of a Local half or of a dialled leg, by the channel's name. */
  of(channel: string): CdrRecord | undefined;
};

/** Records of one call are written when its channels end, and a leg's can be hours before the caller's. */
const keptLegs = 20_000;

/** Asterisk's words for a leg that it dialled itself (AppDial, AppDial2, AppQueue). */
const outgoing = '(Outgoing Line)';

export function isOutgoing({ lastdata }: CdrRecord): boolean {
  return lastdata === outgoing;
}

export function createLegs(kept = keptLegs): Legs {
  const dialled = new Set<string>();
  const records = new Map<string, CdrRecord>();
  return {
    add(record) {
      const { channel, dstchannel } = record;
      if (dstchannel !== '' && channelKind(dstchannel) === 'real') dialled.add(dstchannel);
      if (channelKind(channel) === 'local' || isOutgoing(record)) {
        // Several records of one half: the one that was answered tells who.
        if (records.get(channel)?.disposition !== 'ANSWERED') records.set(channel, record);
      }
      trim(dialled, kept);
      trim(records, kept);
    },
    wasDialled: (channel) => dialled.has(channel),
    of: (channel) => records.get(channel),
  };
}

/**
 * Says of each record, in the order of the file, whether Asterisk was started anew before it: channel names begin again
 * then, and what was known of them is not true any more. A uniqueid is `seconds.count`, and the count begins again too.
 */
export function createRestartSpotter(): (record: Pick<CdrRecord, 'uniqueid'>) => boolean {
  let latest = { seconds: 0, count: 0 };
  return ({ uniqueid }) => {
    const [, seconds = 0, count = 0] = (/(\d+)\.(\d+)$/.exec(uniqueid) ?? []).map(Number);
    if (seconds <= latest.seconds) return false;
    const isAnew = count < latest.count;
    latest = { seconds, count };
    return isAnew;
  };
}

/** Forgets the oldest beyond `kept`. */
function trim(kept: { size: number; keys(): Iterator<string>; delete(key: string): boolean }, most: number) {
  if (kept.size <= most) return;
  const { value } = kept.keys().next();
  if (value !== undefined) kept.delete(value);
}
