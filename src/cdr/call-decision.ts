import type { CallEvent } from '../api/contract/call-event.ts';
import type { NewEvent } from '../outbox/outbox.ts';
import type { CallVerdict } from '../outbox/tables/ledger.ts';
import { beganAt } from './cdr-record.ts';
import { missingOf, type Verdict } from './cdr-verdict.ts';

/** What is done about a call with records: its missing events, a reason for the ledger, or nothing, with the reason. */
export type Decision =
  | { readonly events: readonly CallEvent[] }
  | { readonly unreported: string; readonly lacksNumber?: true }
  | { readonly skipped: 'known' | 'old' | 'not inbound' };

/** Decides by the verdict of the records and by the ledger. Calls that began before `since` (Unix ms) are too old. */
export function decideCall(
  id: string,
  verdict: Verdict,
  { reported, unreported }: CallVerdict = { reported: [] },
  since: number,
): Decision {
  const isKnown = reported.length > 0 || unreported !== undefined;
  const isOld = beganAt({ uniqueid: id }) < since;
  if (!verdict.inbound && (isKnown || isOld)) return { skipped: 'not inbound' };
  if (!verdict.inbound) return { unreported: 'its record is not of an inbound call' };
  if (isOld) return { skipped: 'old' };
  const missing = missingOf(reported, verdict);
  if (missing.length === 0 || (isKnown && reported.length === 0)) return { skipped: 'known' };
  const { from, callerId } = verdict;
  if (from === '') {
    const why = 'its record has no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set';
    return { unreported: why, lacksNumber: true };
  }
  const events = missing.map((status): CallEvent => {
    const event = { id, direction: 'inbound' as const, status, from };
    return status === 'ringing' || callerId === undefined ? event : { ...event, caller_id: callerId };
  });
  return { events };
}

/** Maximum age given to events of past calls, ms: current calls are sent first, and none expires. */
const maxAgeMs = 600_000;

export function newEvent(event: CallEvent, now: number): NewEvent {
  const { id, status } = event;
  const queuedAt = Math.min(now, Math.max(beganAt({ uniqueid: id }), now - maxAgeMs));
  return { callId: id, status, body: JSON.stringify(event), queuedAt };
}
