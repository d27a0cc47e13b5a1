import type { BridgeStatus } from './bridge-status.ts';

/** A Ping goes out every 5 s and may take 4 s: without an answer for so long, something is wrong. */
const longestSilenceMs = 15_000;

/** What is handed to the disk is on it within milliseconds; a slow one takes a second. */
const longestCommitMs = 10_000;

/** An event that waits for so long while deliveries go on, or should. */
const longestWaitMs = 5 * 60_000;

/**
 * Why a bridge is not ready, a line for people each; empty if it is: the PBX answers, what is taken gets onto the
 * disk, and what is on the disk gets to the API.
 */
export function troubles(status: Omit<BridgeStatus, 'ready' | 'reasons'>): string[] {
  return [pbxTrouble(status), diskTrouble(status), queueTrouble(status)].filter((it) => it !== undefined);
}

function pbxTrouble({ pbx, now }: Pick<BridgeStatus, 'pbx' | 'now'>): string | undefined {
  if (pbx.state !== 'up') return `no link to Asterisk at ${pbx.address}: ${pbx.failure ?? 'connecting'}`;
  const heardAt = Math.max(pbx.lastPongAt ?? 0, pbx.since);
  return now - heardAt > longestSilenceMs
    ? `Asterisk at ${pbx.address} has not answered for ${seconds(now - heardAt)}`
    : undefined;
}

function diskTrouble({ outbox, now }: Pick<BridgeStatus, 'outbox' | 'now'>): string | undefined {
  const { storage, uncommittedSince } = outbox;
  if (storage.state !== 'working')
    return `the state folder's disk is ${storage.state}: ${storage.error ?? 'nothing new is taken'}`;
  return uncommittedSince !== undefined && now - uncommittedSince > longestCommitMs
    ? `the state folder's disk has taken nothing for ${seconds(now - uncommittedSince)}`
    : undefined;
}

function queueTrouble({ outbox, delivery, now }: Pick<BridgeStatus, 'outbox' | 'delivery' | 'now'>) {
  if (delivery.state === 'paused' || delivery.state === 'outage')
    return `nothing is delivered: ${delivery.reason}; ${outbox.waiting} waiting`;
  const since = Math.max(outbox.oldestWaitingAt ?? now, delivery.lastDeliveredAt ?? 0, delivery.since);
  return outbox.waiting > 0 && now - since > longestWaitMs
    ? `nothing was delivered for ${seconds(now - since)}; ${outbox.waiting} waiting`
    : undefined;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
