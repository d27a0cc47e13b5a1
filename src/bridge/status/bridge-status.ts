import type { AlertsStatus } from '../../shared/alerts/alerts-status.ts';
import type { DeliveryStatus } from '../../shared/delivery/flow.ts';
import type { ReconcilerStatus } from '../../shared/delivery/reconcile-state.ts';
import type { LogStatus } from '../../shared/log/log-destination.ts';
import type { AgiStatus } from '../agi/agi.ts';
import type { AmiStatus } from '../ami/link-state.ts';
import type { DecisionCounts } from '../calls/decisions.ts';
import type { AppendStatus } from '../outbox/append-watch.ts';
import type { Counters } from '../outbox/tables/counters.ts';
import type { StorageState } from '../outbox/worker/store.ts';

/** `begun`: the service has not been asked yet. `unknown`: it does not know call backs of bridges. */
export type CallBacksStatus = {
  readonly state: 'begun' | 'ok' | 'failed' | 'unknown';
  /** Numbers that wait for a call back. */
  readonly waiting: number;
  /** Calls that were reported since the start. */
  readonly reported: number;
};

/** Counts since the start of the program. */
export type CallCounts = {
  readonly ringing: number;
  readonly answered: number;
  readonly completed: number;
  readonly decided: Readonly<DecisionCounts>;
  /** False if channels are connected without any BridgeEnter event; undefined until channels are connected. */
  readonly hasBridgeEvents?: boolean | undefined;
  /** Journal lines dropped because the disk did not accept them in time. */
  readonly journalDropped: number;
  /** Calls with the Uniqueid of an earlier one, which are not reported. */
  readonly repeated: number;
};

/**
 * The status of a bridge, as in `/status.json`: counts and states, without phone numbers or call ids. Times are Unix ms.
 * Fields that do not apply are absent.
 */
export type BridgeStatus = {
  readonly version: string;
  readonly pbxId: string;
  /** Of the process: tells one bridge from another with the same PBX_ID. Absent from those before 1.0.1. */
  readonly pid?: number;
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
    /** AMI events with a line break in a value. */
    readonly lineBreaks: number;
    readonly events: Readonly<Record<'used' | 'ignored' | 'bad' | 'lost' | 'failed', number>>;
  };
  readonly calls: CallCounts & { readonly open: number };
  readonly outbox: Counters &
    AppendStatus & {
      readonly oldestWaitingAt?: number | undefined;
      readonly storage: StorageState;
      readonly commits: number;
    };
  readonly delivery: DeliveryStatus;
  /** Comparison of deliveries with the API's request history; absent if turned off. */
  readonly reconcile?: ReconcilerStatus | undefined;
  readonly lookups?: AgiStatus | undefined;
  /** Absent without CALL_BACKS. */
  readonly callBacks?: CallBacksStatus | undefined;
  readonly alerts: AlertsStatus;
  /** Absent if the log does not go to standard output. */
  readonly log?: LogStatus | undefined;
};

/** The same without what follows from it. */
export type BridgeState = Omit<BridgeStatus, 'alerts'>;

/** More than the time between two Pings (5 s) and for their response (4 s). */
const maxSilenceMs = 15_000;

/** A commit takes milliseconds; on a slow disk, a second. */
const maxCommitMs = 10_000;

/** How long an event may wait without any delivery. */
const maxWaitMs = 5 * 60_000;

/**
 * Why a bridge is not ready, one line each; empty if it is ready: the PBX responds, events are stored, and stored events
 * are delivered.
 */
export function readinessProblems(status: Omit<BridgeState, 'ready' | 'reasons'>): string[] {
  return [pbxProblem(status), diskProblem(status), queueProblem(status)].filter((it) => it !== undefined);
}

function pbxProblem({ pbx, now }: Pick<BridgeState, 'pbx' | 'now'>): string | undefined {
  if (pbx.state !== 'up')
    return `not connected to Asterisk at ${pbx.address}: ${pbx.failure ?? 'connecting'}`;
  const lastResponseAt = Math.max(pbx.lastPongAt ?? 0, pbx.since);
  return now - lastResponseAt > maxSilenceMs
    ? `Asterisk at ${pbx.address} has not responded for ${seconds(now - lastResponseAt)}`
    : undefined;
}

function diskProblem({ outbox, now }: Pick<BridgeState, 'outbox' | 'now'>): string | undefined {
  const { storage, uncommittedSince } = outbox;
  if (storage.state === 'moved') return storage.error;
  if (storage.state !== 'working')
    return `the disk of the state directory is ${storage.state}: ${storage.error ?? 'new events are not stored'}`;
  return uncommittedSince !== undefined && now - uncommittedSince > maxCommitMs
    ? `the disk of the state directory has not stored anything for ${seconds(now - uncommittedSince)}`
    : undefined;
}

function queueProblem({ outbox, delivery, now }: Pick<BridgeState, 'outbox' | 'delivery' | 'now'>) {
  if (delivery.state === 'paused' || delivery.state === 'outage')
    return `no deliveries: ${delivery.reason}; events waiting: ${outbox.waiting}`;
  const since = Math.max(outbox.oldestWaitingAt ?? now, delivery.lastDeliveredAt ?? 0, delivery.since);
  return outbox.waiting > 0 && now - since > maxWaitMs
    ? `no deliveries for ${seconds(now - since)}; events waiting: ${outbox.waiting}`
    : undefined;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
