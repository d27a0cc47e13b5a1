import { channelKind } from '../calls/channel.ts';
import type { CdrRecord } from './cdr-record.ts';
import { createDialledLegs, createRestartDetector, type DialledLegs } from './dialled-legs.ts';

/** A call whose records were read, and which is not decided yet. */
export type PendingCall = {
  /** Its own, in the order of writing. */
  readonly records: CdrRecord[];
  /** Of the same run of Asterisk. */
  readonly legs: DialledLegs;
  /** Reading from this position returns its records again. */
  readonly from: unknown;
  /** The number of the read that returned its first record. */
  readonly read: number;
};

/** Groups records by call. Keys are uniqueids. */
export function createPendingCalls() {
  const isAfterRestart = createRestartDetector();
  let legs = createDialledLegs();
  const calls = new Map<string, PendingCall>();
  return {
    calls,
    add(record: CdrRecord, from: unknown, read: number): void {
      if (isAfterRestart(record)) legs = createDialledLegs();
      legs.add(record);
      if (channelKind(record.channel) !== 'real') return;
      const known = calls.get(record.uniqueid);
      if (known) known.records.push(record);
      else calls.set(record.uniqueid, { records: [record], legs, from, read });
    },
  };
}
