import type { BridgeState } from './bridge-status.ts';

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
