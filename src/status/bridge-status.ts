import type { AmiStatus } from '../ami/link.ts';
import type { DeliveryStatus } from '../delivery/dispatcher.ts';
import type { ReconcilerStatus } from '../delivery/reconciler.ts';
import type { LogStatus } from '../log/log-destination.ts';
import type { Tally } from '../outbox/tables/tally.ts';
import type { StorageState } from '../outbox/worker/storage-thread.ts';

/** How many of each since the start of the program. */
export type CallCounts = {
  readonly ringing: number;
  readonly answered: number;
  readonly completed: number;
  /** Calls that could not be told for want of a number. */
  readonly notTold: number;
  /** Calls that were in progress when the link came up. */
  readonly adopted: number;
  /** Calls that ended while the link was down. */
  readonly vanished: number;
  /** Lines that the journal had to leave out, since the disk took none for too long. */
  readonly journalDropped: number;
};

export type LookupCounts = {
  readonly found: number;
  readonly notFound: number;
  readonly timeout: number;
  readonly error: number;
  /** Those of them that were answered at once from what was known. */
  readonly known: number;
};

/**
 * How a bridge is doing, as `/status.json` gives it: counts and states, never a number or a call. Times are Unix ms.
 * What does not apply is left out, as JSON does.
 */
export type BridgeStatus = {
  readonly version: string;
  readonly pbxId: string;
  readonly startedAt: number;
  readonly now: number;
  readonly ready: boolean;
  /** Why it is not ready, a line for people each. */
  readonly reasons: readonly string[];
  readonly pbx: Omit<AmiStatus, 'failure' | 'counters' | 'lastEventAt' | 'lastPongAt'> & {
    readonly address: string;
    readonly lastEventAt?: number | undefined;
    readonly lastPongAt?: number | undefined;
    /** Why it is not up. */
    readonly failure?: string | undefined;
    readonly connects: number;
    readonly bytesIn: number;
    readonly events: Readonly<Record<'used' | 'ignored' | 'bad' | 'lost' | 'failed', number>>;
  };
  readonly calls: CallCounts & { readonly open: number };
  readonly outbox: Tally & {
    readonly oldestWaitingAt?: number | undefined;
    readonly storage: StorageState;
    readonly commits: number;
    readonly lastCommitAt?: number | undefined;
    /** When the oldest batch that is not on disk yet was handed over. */
    readonly uncommittedSince?: number | undefined;
  };
  readonly delivery: DeliveryStatus;
  /** The comparison of what was delivered with the far side's history; absent if there is none. */
  readonly reconcile?: ReconcilerStatus | undefined;
  readonly lookups?: (LookupCounts & { readonly listening: boolean }) | undefined;
  /** Of the lines that the program logs; absent if that is not on standard output. */
  readonly log?: LogStatus | undefined;
};
