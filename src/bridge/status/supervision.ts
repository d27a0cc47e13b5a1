import { type Message, messages } from '../../shared/log/messages.ts';
import { escapeControls } from '../../shared/log/redact.ts';
import { type AmiFailure, mayPass } from '../ami/failure.ts';
import { failureCodes } from '../ami/link-log.ts';
import type { BridgeStatus } from './bridge-status.ts';
import { type Notice, startExtensionUs } from './service-manager.ts';

/** State that can be read synchronously, to detect a standstill. */
export type Liveness = {
  readonly pbx: Pick<BridgeStatus['pbx'], 'state' | 'since' | 'lastPongAt' | 'bytesIn' | 'connects'> & {
    readonly failure: AmiFailure | undefined;
  };
  readonly storage: BridgeStatus['outbox']['storage'];
  /** When the oldest uncommitted batch was handed to the storage thread, Unix ms. */
  readonly uncommittedSince?: number | undefined;
};

/** More than the time between two Pings (5 s), than an attempt to connect (10 s) and the pause after it (10 s). */
const standstillMs = 30_000;

/** How long the start waits for a PBX where nothing answers, ms. It may be starting too. */
const longestStartMs = 60_000;

/** What is reported to the service manager. Times are monotonic ms. */
type Supervision = {
  readonly startedAt: number;
  /** True once `status` is of a time at which the start was over: `systemctl start` returns with READY and this status. */
  readonly startIsOver: boolean;
  readonly isReady: boolean;
  readonly status: string;
  /** Since when the status is being read. */
  readonly readingSince?: number | undefined;
  /** What the link to Asterisk showed last, and since when. */
  readonly fingerprint: string;
  readonly progressAt: number;
  /** The part that makes no progress. */
  readonly stuck?: string | undefined;
};

export const beginning = (at: number): Supervision => ({
  startedAt: at,
  startIsOver: false,
  isReady: false,
  status: 'starting',
  fingerprint: '',
  progressAt: at,
});

/** What is to be done after a step, in this order. */
export type Step = { readonly state: Supervision; readonly notice: Notice; readonly standstill?: string };

/** Looks whether all parts make progress. `at`: monotonic ms; `now`: Unix ms. */
export function look(before: Supervision, liveness: Liveness, at: number, now: number): Step {
  const { pbx } = liveness;
  const fingerprint = [pbx.state, pbx.since, pbx.lastPongAt, pbx.bytesIn].join();
  const progressAt = fingerprint === before.fingerprint ? before.progressAt : at;
  const stuck = stuckPart({ ...before, progressAt }, liveness, at, now);
  const isFirst = !before.isReady && before.startIsOver;
  const state = { ...before, fingerprint, progressAt, stuck, isReady: before.isReady || isFirst };
  const alive = state.isReady ? { WATCHDOG: 1 } : { EXTEND_TIMEOUT_USEC: startExtensionUs };
  return {
    state,
    notice: {
      ...(isFirst && { READY: 1 }),
      ...(stuck === undefined && alive),
      STATUS: stuck === undefined ? state.status : `${stuck} does not respond; ${state.status}`,
    },
    ...(stuck !== undefined && before.stuck === undefined && { standstill: stuck }),
  };
}

function stuckPart(
  { progressAt, readingSince }: Supervision,
  { storage, uncommittedSince }: Liveness,
  at: number,
  now: number,
): string | undefined {
  if (at - progressAt > standstillMs) return 'the link to Asterisk';
  // A full or failing disk is reported elsewhere, and a restart would not help.
  if (storage.state !== 'working') return undefined;
  const waited = Math.max(now - (uncommittedSince ?? now), at - (readingSince ?? at));
  return waited > standstillMs ? 'the storage' : undefined;
}

/** Whether nothing more is to be waited for until the program counts as started. */
export function startIsOver({ startedAt }: Supervision, { pbx }: Liveness, at: number): boolean {
  const needsPerson = pbx.failure !== undefined && !mayPass(pbx.failure);
  return pbx.connects > 0 || needsPerson || at - startedAt >= longestStartMs;
}

/** The status in one line, for `systemctl status`, with what to do about a failure of the link. */
export function statusLine({ pbx, calls, outbox, reasons }: BridgeStatus, failure?: AmiFailure): string {
  const remedy = failure && (messages[failureCodes[failure.kind]] as Message).todo;
  const state = reasons.length > 0 ? reasons.join('; ') : `Asterisk ${pbx.version} at ${pbx.address}`;
  const dead = outbox.dead > 0 ? `, ${outbox.dead} dead letters` : '';
  return escapeControls(
    `${state}${remedy ? `. ${remedy} ` : '; '}${calls.open} open calls, ${outbox.delivered} delivered, ${outbox.waiting} waiting${dead}`,
  );
}
