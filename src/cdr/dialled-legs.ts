import { channelKind } from '../calls/channel.ts';
import type { CdrRecord } from './cdr-record.ts';

/** Legs found in the records of one run of Asterisk: dialled channels, and the channels behind Local pairs. */
export type DialledLegs = {
  add(record: CdrRecord): void;
  /** True if the PBX dialled this channel, so that it is not an inbound call. */
  wasDialled(channel: string): boolean;
  /** The record of a Local half or of a dialled leg, by the channel's name. */
  of(channel: string): CdrRecord | undefined;
};

/** A leg's record is written when the leg ends, which can be hours before the caller's record. */
const maxLegs = 20_000;

/** `lastdata` of a leg that Asterisk dialled (AppDial, AppDial2, AppQueue). */
const outgoing = '(Outgoing Line)';

export function isOutgoing({ lastdata }: CdrRecord): boolean {
  return lastdata === outgoing;
}

export function createDialledLegs(kept = maxLegs): DialledLegs {
  const dialled = new Set<string>();
  const records = new Map<string, CdrRecord>();
  return {
    add(record) {
      const { channel, dstchannel } = record;
      if (dstchannel !== '' && channelKind(dstchannel) === 'real') dialled.add(dstchannel);
      if (channelKind(channel) === 'local' || isOutgoing(record)) {
        // Of several records of one half, the answered one has the answering channel.
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
 * Detects restarts of Asterisk. The returned function is called with each record in order, and returns true if Asterisk
 * was restarted before it: channel names are then reused. The count in a uniqueid (`seconds.count`) restarts too.
 */
export function createRestartDetector(): (record: Pick<CdrRecord, 'uniqueid'>) => boolean {
  let latest = { seconds: 0, count: 0 };
  return ({ uniqueid }) => {
    const [, seconds = 0, count = 0] = (/(\d+)\.(\d+)$/.exec(uniqueid) ?? []).map(Number);
    if (seconds <= latest.seconds) return false;
    const isRestarted = count < latest.count;
    latest = { seconds, count };
    return isRestarted;
  };
}

/** Removes the oldest entry beyond `most`. */
function trim(kept: { size: number; keys(): Iterator<string>; delete(key: string): boolean }, most: number) {
  if (kept.size <= most) return;
  const { value } = kept.keys().next();
  if (value !== undefined) kept.delete(value);
}
