import { channelKind } from '../calls/channel-name.ts';
import { isUniqueid } from '../calls/open-call.ts';
import type { CdrRecord, RecordOptions } from './cdr-source.ts';
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

/** Groups records by call. Keys are uniqueids. `onForeign` gets the calls' records that lack the PBX's `systemname`. */
export function createPendingCalls(
  recordOptions: () => RecordOptions,
  onForeign: (record: CdrRecord, systemname: string) => void = () => {},
) {
  const isAfterRestart = createRestartDetector();
  let legs = createDialledLegs(recordOptions);
  const calls = new Map<string, PendingCall>();
  return {
    calls,
    add(record: CdrRecord, from: unknown, read: number): void {
      // Another program has chosen the id of a channel that it made: no caller's, and without a time in it.
      if (!isUniqueid(record.uniqueid)) return;
      // Another PBX writes into the same table, or this one had no name yet.
      const { systemname } = recordOptions();
      if (systemname !== '' && !record.uniqueid.startsWith(`${systemname}-`)) {
        if (channelKind(record.channel) === 'real') onForeign(record, systemname);
        return;
      }
      if (isAfterRestart(record)) legs = createDialledLegs(recordOptions);
      legs.add(record);
      if (channelKind(record.channel) !== 'real') return;
      const known = calls.get(record.uniqueid);
      if (known) known.records.push(record);
      else calls.set(record.uniqueid, { records: [record], legs, from, read });
    },
  };
}

/** How many reads to wait for the record of a call that is gone. After a crash Asterisk writes none. */
const timeoutReads = 5;

/** Determines for which of the calls that are gone no record is expected any more. */
export function createRecordTimeouts() {
  /** By uniqueid: the number of the read at which it was first missing. */
  const since = new Map<string, number>();
  return {
    /**
     * @param atEnd all records were read; until then a call's record may be among the unread ones.
     * @param delayReads how many reads longer to wait, because Asterisk delays its records.
     */
    expired(
      vanished: ReadonlySet<string>,
      { reads, atEnd, delayReads }: { reads: number; atEnd: boolean; delayReads: number },
    ): string[] {
      for (const uniqueid of since.keys()) if (!vanished.has(uniqueid)) since.delete(uniqueid);
      for (const uniqueid of vanished) if (!atEnd || !since.has(uniqueid)) since.set(uniqueid, reads);
      return [...since]
        .filter(([, read]) => reads - read >= timeoutReads + delayReads)
        .map(([uniqueid]) => uniqueid);
    },
  };
}
