import type { AlertsStatus } from '../../shared/alerts/alerts.ts';
import type { DeliveryStatus } from '../../shared/delivery/flow.ts';
import type { ReconcilerStatus } from '../../shared/delivery/reconciler.ts';
import type { LogStatus } from '../../shared/log/log-destination.ts';
import type { AgiStatus } from '../agi/agi.ts';
import type { AmiStatus } from '../ami/link.ts';
import type { DecisionCounts } from '../calls/decisions.ts';
import type { Counters } from '../outbox/tables/counters.ts';
import type { StorageState } from '../outbox/worker/store.ts';

/** Counts since the start of the program. */
export type CallCounts = {
  readonly ringing: number;
  readonly answered: number;
  readonly completed: number;
  readonly decided: Readonly<DecisionCounts>;
  /** Journal lines dropped because the disk did not accept them in time. */
  readonly journalDropped: number;
};

/**
 * The status of a bridge, as in `/status.json`: counts and states, without phone numbers or call ids. Times are Unix ms.
 * Fields that do not apply are absent.
 */
export type BridgeStatus = {
  readonly version: string;
  readonly pbxId: string;
  readonly startedAt: number;
  readonly now: number;
  readonly ready: boolean;
  /** Why it is not ready, one line each. */
  readonly reasons: readonly string[];
  readonly pbx: Omit<AmiStatus, 'failure' | 'counters' | 'lastEventAt' | 'lastPongAt'> & {
    readonly address: string;
    readonly lastEventAt?: number | undefined;
    readonly lastPongAt?: number | undefined;
    /** Why the link is not up. */
    readonly failure?: string | undefined;
    readonly connects: number;
    readonly bytesIn: number;
    readonly events: Readonly<Record<'used' | 'ignored' | 'bad' | 'lost' | 'failed', number>>;
  };
  readonly calls: CallCounts & { readonly open: number };
  readonly outbox: Counters & {
    readonly oldestWaitingAt?: number | undefined;
    readonly storage: StorageState;
    readonly commits: number;
    readonly lastCommitAt?: number | undefined;
    /** When the oldest uncommitted batch was handed to the storage thread. */
    readonly uncommittedSince?: number | undefined;
  };
  readonly delivery: DeliveryStatus;
  /** Comparison of deliveries with the API's request history; absent if turned off. */
  readonly reconcile?: ReconcilerStatus | undefined;
  readonly lookups?: AgiStatus | undefined;
  readonly alerts: AlertsStatus;
  /** Absent if the log does not go to standard output. */
  readonly log?: LogStatus | undefined;
};

/** The same without what follows from it. */
export type BridgeState = Omit<BridgeStatus, 'alerts'>;
