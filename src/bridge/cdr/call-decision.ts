import type { ExtendedCallEvent } from '../../shared/api/contract/call-event.ts';
import type { Reason } from '../calls/decisions.ts';
import { beganAt } from '../calls/open-call.ts';
import type { NewEvent } from '../outbox/outbox.ts';
import type { LedgerEntry } from '../outbox/tables/ledger.ts';
import { extrasOfRecorded } from './record-extras.ts';
import { missingOf, type RecordedCall } from './recorded-call.ts';

/** What is done about a call with records: its missing events, a reason for the ledger, or nothing, with the reason. */
export type Decision =
  | { readonly events: readonly ExtendedCallEvent[] }
  | { readonly unreported: string /** Absent: not worth a line in the log. */; readonly reason?: Reason }
  | { readonly skipped: 'known' | 'old' | 'not inbound' };

/** Decides by what the records say of a call, and by the ledger. Calls that began before `since` (Unix ms) are too old. */
export function decideCall(
  id: string,
  recorded: RecordedCall,
  { reported, unreported }: LedgerEntry = { reported: [] },
  since: number,
): Decision {
  const isKnown = reported.length > 0 || unreported !== undefined;
  const isOld = beganAt({ uniqueid: id }) < since;
  if (!recorded.inbound && (isKnown || isOld)) return { skipped: 'not inbound' };
  if (!recorded.inbound) return { unreported: 'its record is not of an inbound call' };
  if (isOld) return { skipped: 'old' };
  const missing = missingOf(reported, recorded);
  if (missing.length === 0 || (isKnown && reported.length === 0)) return { skipped: 'known' };
  const { number, callerId, extras } = recorded;
  if ('reason' in number) return { unreported: number.why, reason: number.reason };
  const { from } = number;
  const events = missing.map(
    (status): ExtendedCallEvent => ({
      id,
      direction: 'inbound',
      status,
      from,
      ...(status !== 'ringing' && callerId !== undefined && { caller_id: callerId }),
      extras: extrasOfRecorded(extras, status, !isKnown),
    }),
  );
  return { events };
}

/** Maximum age given to events of past calls, ms: current calls are sent first, and none expires. */
const maxAgeMs = 600_000;

/** `extras` go to an API that takes them (API_EXTRAS). */
export function newEvent(
  { extras, ...event }: ExtendedCallEvent,
  now: number,
  sendsExtras: boolean,
): NewEvent {
  const { id, status } = event;
  const queuedAt = Math.min(now, Math.max(beganAt({ uniqueid: id }), now - maxAgeMs));
  return { callId: id, status, body: JSON.stringify(sendsExtras ? { ...event, extras } : event), queuedAt };
}
