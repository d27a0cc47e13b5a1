import { preciseMs } from '../../shared/process/clock.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { Screens } from '../calls/screens.ts';
import type { RequestStore } from '../history/request-store.ts';

/** How long a call can ring, or people can talk, ms: then its end was lost. */
const MAX_RINGING_MS = 2 * 3_600_000;
const MAX_TALKING_MS = 24 * 3_600_000;
/** Calls of an account that are closed in one go. */
const MAX_CLOSED = 500;

type Parts = {
  readonly store: {
    readonly requests: Pick<RequestStore, 'record'>;
    readonly calls: {
      stale(
        account: number,
        before: { readonly ringing: number; readonly answered: number },
        max: number,
      ): Promise<CallRecord[]>;
    };
    withLock<T>(work: () => Promise<T>): Promise<T>;
  };
  readonly screens: Pick<Screens, 'publish'>;
};

/**
 * Completes a call whose end never came, at the time of its last event: one that rings as missed. It goes the way of an
 * event, so that reports, webhooks and other processes hear of it. An event that comes first, at the same moment or later
 * wins. Returns whether it was this that closed the call.
 */
export async function closeCall(
  { store, screens }: Parts,
  account: number,
  { id, integration, from, number, status }: CallRecord,
  now: number,
): Promise<boolean> {
  const { moved, call } = await store.requests.record({
    account,
    integration,
    at: now,
    began: preciseMs(),
    method: 'POST',
    path: '/calls/close',
    request: JSON.stringify({ id }),
    status: 200,
    response: null,
    callId: id,
    fromNumber: null,
    event: { id, status: 'completed', from, number, callerId: null, closes: status },
  });
  if (call) screens.publish(account, call);
  return moved;
}

/** Closes the calls of these accounts that are open for longer than any call lasts; returns how many. */
export async function closeStaleCalls(
  parts: Parts,
  accounts: readonly { readonly id: number }[],
  now: number,
): Promise<number> {
  const before = { ringing: now - MAX_RINGING_MS, answered: now - MAX_TALKING_MS };
  const stale = (account: number) => parts.store.calls.stale(account, before, MAX_CLOSED);
  let closed = 0;
  for (const { id } of accounts) {
    if ((await stale(id)).length === 0) continue;
    // One process at a time, so that the history has each once.
    await parts.store.withLock(async () => {
      for (const call of await stale(id)) if (await closeCall(parts, id, call, now)) closed += 1;
    });
  }
  return closed;
}
