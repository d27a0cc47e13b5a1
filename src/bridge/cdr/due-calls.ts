import { callIdOf } from '../calls/open-call.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { LiveCalls } from './live-calls.ts';
import type { PendingCall } from './pending-calls.ts';

/**
 * A call is decided two reads after its first record: by then its other records are there, as Asterisk writes them
 * together, and its hang-up was received over AMI, if it was received at all.
 */
export const readsBeforeDecision = 2;

/** A call to be decided now. */
export type DueCall = {
  /** The uniqueid as it was read. */
  readonly read: string;
  /** The same, or the whole one: where its column has cut off the last digits, and the call is known live or from the ledger. */
  readonly uniqueid: string;
  readonly call: PendingCall;
};

/** The calls that are over, and whose records are all there. */
export async function dueCalls(
  pending: ReadonlyMap<string, PendingCall>,
  tools: {
    /** How many reads there were. */
    readonly reads: number;
    readonly live: Pick<LiveCalls, 'rules' | 'vanished' | 'knownAs' | 'knownFrom'>;
    /** How many characters of a uniqueid the source has room for. */
    readonly idWidth: number;
    readonly callIdsFrom: Outbox['callIdsFrom'];
  },
): Promise<DueCall[]> {
  const { reads, live, idWidth, callIdsFrom } = tools;
  const vanished = live.vanished();
  const due = [...pending].flatMap(([read, call]) => {
    if (reads - call.read < readsBeforeDecision) return [];
    const mayBeCut = read.length >= idWidth;
    const known = mayBeCut ? live.knownFrom(read) : live.knownAs(read);
    if (known !== undefined && !vanished.has(known)) return [];
    return [{ read, call, uniqueid: known ?? read, isSought: mayBeCut && known === undefined }];
  });
  const head = callIdOf(live.rules().pbxId, '');
  const sought = due.flatMap(({ read, isSought }) => (isSought ? head + read : []));
  const found = sought.length === 0 ? new Map<string, string>() : await callIdsFrom(sought);
  return due.map(({ read, call, uniqueid }) => ({
    read,
    call,
    uniqueid: found.get(head + read)?.slice(head.length) ?? uniqueid,
  }));
}
