import type { ExtendedCallEvent } from '../../shared/api/contract/call-event.ts';
import type { Reason } from '../calls/decisions.ts';
import type { JournalEntry } from '../calls/effect.ts';
import type { EndedUnseen } from '../calls/input.ts';
import { callIdOf } from '../calls/open-call.ts';
import type { LedgerEntry } from '../outbox/tables/ledger.ts';
import { type Decision, decideCall } from './call-decision.ts';
import type { CdrRecord } from './cdr-source.ts';
import type { DueCall } from './due-calls.ts';
import { factsOf, type Known, type RecordedCall, recordedCallOf } from './recorded-call.ts';

/** What is to be done about a call with records. */
export type DueEffect =
  /** Ends a call that is gone from the PBX. */
  | { readonly type: 'end'; readonly ended: Omit<EndedUnseen, 'type'> }
  | { readonly type: 'report'; readonly events: readonly ExtendedCallEvent[] }
  /** `reason`: for the log; absent if not worth a line. */
  | {
      readonly type: 'not-reported';
      readonly id: string;
      readonly at: number;
      readonly why: string;
      readonly reason?: Reason;
    }
  | { readonly type: 'skip'; readonly why: 'known' | 'old' }
  | { readonly type: 'journal'; readonly entry: JournalEntry }
  /** No call of this trunk is reported: its numbers all count as withheld, and none stands in for them. */
  | { readonly type: 'all-withheld'; readonly trunk: string };

type DueContext = Omit<Known, 'legs'> & {
  /** Open calls that are gone from the PBX, by uniqueid. */
  readonly vanished: ReadonlySet<string>;
  /** Unix ms: calls that began before are too old. */
  readonly since: number;
  readonly now: number;
};

type Inbound = Extract<RecordedCall, { inbound: true }>;

/** Ends a call that is gone as its records say, or decides about it by them and by the ledger. */
export function decideDue(
  { uniqueid, call }: DueCall,
  entry: LedgerEntry | undefined,
  context: DueContext,
): readonly DueEffect[] {
  const { rules, vanished, since, now } = context;
  const id = callIdOf(rules.pbxId, uniqueid);
  const wasReported = entry !== undefined && entry.reported.length > 0;
  // The tracker may know better which number was called.
  const byRules = !wasReported && !vanished.has(uniqueid);
  const recorded = recordedCallOf({ ...context, legs: call.legs }, call.records, { byRules });
  if (vanished.has(uniqueid))
    return [
      ...(recorded.inbound
        ? [...machineSeen(recorded, id, uniqueid, now), ...withheld(recorded, context)]
        : []),
      { type: 'end', ended: endOf(recorded, call.records, { uniqueid, at: now }) },
    ];
  const decision = decideCall(id, recorded, entry, since);
  if ('skipped' in decision)
    return decision.skipped === 'not inbound' ? [] : [{ type: 'skip', why: decision.skipped }];
  if ('events' in decision)
    return [
      ...(recorded.inbound ? machineSeen(recorded, id, uniqueid, now) : []),
      { type: 'report', events: decision.events },
    ];
  const number = call.records[0]?.src ?? '';
  return [
    ...(recorded.inbound ? withheld(recorded, context) : []),
    ...notReported(decision, { at: now, uniqueid, call: id, number }),
  ];
}

function notReported(
  { unreported: why, reason }: Extract<Decision, { unreported: string }>,
  about: Pick<JournalEntry, 'at' | 'uniqueid' | 'number'> & { readonly call: string },
): readonly DueEffect[] {
  const { at, call: id } = about;
  return [
    { type: 'journal', entry: { ...about, kind: 'not-reported', event: { code: 'unreported-record', why } } },
    { type: 'not-reported', id, at, why, ...(reason !== undefined && { reason }) },
  ];
}

function machineSeen({ machine }: Inbound, call: string, uniqueid: string, at: number): DueEffect[] {
  if (machine === undefined) return [];
  const event = { code: 'machine', channel: machine } as const;
  return [{ type: 'journal', entry: { at, uniqueid, call, kind: 'observed', event } }];
}

function withheld({ number, extras }: Inbound, { presumesWithheld }: DueContext): DueEffect[] {
  const trunk = extras.line;
  return 'reason' in number && presumesWithheld(trunk) ? [{ type: 'all-withheld', trunk }] : [];
}

function endOf(
  recorded: RecordedCall,
  records: readonly CdrRecord[],
  about: Pick<EndedUnseen, 'uniqueid' | 'at'>,
): Omit<EndedUnseen, 'type'> {
  if (!recorded.inbound) return about;
  const { number, callerId, extras } = recorded;
  const { missed } = extras;
  return {
    ...about,
    number,
    facts: factsOf(extras, records),
    ...(callerId !== undefined && { callerId }),
    ...(missed !== undefined && { missed }),
  };
}
