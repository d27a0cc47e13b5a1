import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import { isUndecided } from '../calls/report-rules.ts';

/** `missing`: the month is not complete. `unproven`: too little is known to say so. `explained`: nothing is wrong. */
export type Weight = 'missing' | 'unproven' | 'explained';

/** Why the three books differ about a call; what each prints, in the order of the output. */
export const differences = {
  'missing-at-api': [
    'missing',
    'confirmed by the API, which does not have it: pbx-bridge verify --since 31d --resend',
  ],
  'unfinished-at-api': ['missing', 'over, but unfinished in the API: pbx-bridge verify --since 31d --resend'],
  'given-up': ['missing', 'the API rejected it (dead letter): pbx-bridge outbox list'],
  'damaged-outbox': ['missing', 'not in the API, and from before the outbox was damaged and replaced'],
  'never-reported': ['missing', 'in the records, but never reported'],
  'before-state': [
    'missing',
    "from before this bridge's state began, and not reported: pbx-bridge backfill --help",
  ],
  'not-at-api': [
    'missing',
    'in the records, but not in the API. The ledger no longer says whether it was reported',
  ],
  'ledger-pruned': [
    'unproven',
    'in the records. The ledger no longer says whether it was reported, and the API cannot be compared',
  ],
  'rule-undecided': ['unproven', 'not reported, and a rule that may report it could not be asked'],
  'deleted-at-api': ['unproven', 'older than the API keeps calls'],
  waiting: ['explained', 'still waiting to be delivered: pbx-bridge status'],
  'in-progress': ['explained', 'was in progress, or had just ended'],
  'by-rule': ['explained', 'not reported, by rule'],
  'no-record': ['explained', 'without a record. The bridge saw it live, or its record was deleted'],
  'other-record': ['explained', 'its record is not of an inbound call by the present rules'],
  pruned: ['explained', 'in the records and in the API. The ledger no longer has it'],
  'not-in-ledger': ['explained', 'in the records and in the API, but not in the ledger: another state'],
} as const satisfies Readonly<Record<string, readonly [Weight, string]>>;

export type Difference = keyof typeof differences;

/** What the three books say of a call that began in the month. */
export type CallSeen = {
  /** Unix ms. */
  readonly began: number;
  /** `other`: its records are not of an inbound call. Absent: there is none. */
  readonly record?: 'inbound' | 'other' | undefined;
  /** Why its records do not let it be reported. */
  readonly recordWhy?: string | undefined;
  /** The state of its last event. */
  readonly event?: 'waiting' | 'delivered' | 'dead' | undefined;
  /** Whether the last event is its end. */
  readonly isCompleted?: boolean;
  /** Unix ms at which its last event was queued. */
  readonly queuedAt?: number | undefined;
  readonly isOpen?: boolean;
  /** Why the bridge decided not to report it. */
  readonly unreported?: string | undefined;
  readonly api?: CallStatus | undefined;
};

/** What is known of the books themselves. Times are Unix ms. */
export type Books = {
  /** Records of calls that ended later may not be written yet. */
  readonly recordsUntil: number;
  /** The bridge's state began then. */
  readonly stateSince: number;
  /** Delivered events of before may be deleted. */
  readonly ledgerSince: number;
  /** When a damaged outbox was last replaced. */
  readonly damagedAt?: number | undefined;
  /** Absent: the API cannot be compared. `since`: it deletes older calls. */
  readonly api?: { readonly since?: number | undefined } | undefined;
};

export type Found = { readonly difference: Difference /** The rule. */; readonly why?: string };

/** Why the books differ about a call; undefined if they agree. */
export function differenceOf(call: CallSeen, books: Books): Found | undefined {
  const { api } = books;
  const isInLedger = call.event !== undefined;
  if (api !== undefined && call.api !== 'completed') {
    const missing = missingAtApi(call, books, api.since);
    if (missing !== undefined) return missing;
  }
  if (api === undefined && (call.event === 'dead' || call.event === 'waiting'))
    return { difference: call.event === 'dead' ? 'given-up' : 'waiting' };
  if (!isInLedger && call.api === undefined) return api === undefined ? withoutApi(call, books) : undefined;
  if (call.record === 'inbound') {
    if (isInLedger) return undefined;
    return { difference: call.began < books.ledgerSince ? 'pruned' : 'not-in-ledger' };
  }
  if (isUnderWay(call, books)) return { difference: 'in-progress' };
  return { difference: call.record === 'other' ? 'other-record' : 'no-record' };
}

/** A call that the API lacks, or has without its end. */
function missingAtApi(call: CallSeen, books: Books, apiSince = 0): Found | undefined {
  if (call.event === undefined && call.api === undefined) return withoutEvents(call, books, apiSince);
  if (call.event === 'waiting') return { difference: 'waiting' };
  if (call.isOpen || (isUnderWay(call, books) && !call.isCompleted)) return { difference: 'in-progress' };
  if (call.event === 'dead') return { difference: 'given-up' };
  if (call.api !== undefined) return { difference: 'unfinished-at-api' };
  return { difference: call.began < apiSince ? 'deleted-at-api' : 'missing-at-api' };
}

/** A call that neither the ledger nor the API has. */
function withoutEvents(call: CallSeen, books: Books, apiSince: number): Found | undefined {
  const { began } = call;
  if (call.record !== 'inbound') return undefined;
  const why = call.unreported ?? call.recordWhy;
  if (call.isOpen) return { difference: 'in-progress' };
  if (why !== undefined) return { difference: isUndecided(why) ? 'rule-undecided' : 'by-rule', why };
  if (began < apiSince) return { difference: 'deleted-at-api' };
  if (books.damagedAt !== undefined && began < books.damagedAt) return { difference: 'damaged-outbox' };
  if (began < books.stateSince) return { difference: 'before-state' };
  return { difference: began < books.ledgerSince ? 'not-at-api' : 'never-reported' };
}

/** The same, if the API cannot be compared: what the ledger may have deleted is not lost. */
function withoutApi(call: CallSeen, books: Books): Found | undefined {
  const found = withoutEvents(call, books, 0);
  return found?.difference === 'not-at-api' ? { difference: 'ledger-pruned' } : found;
}

/** No call takes longer, ms. Events of older calls are late: of a gap, or of a backfill. */
const LONGEST_CALL_MS = 86_400_000;

const isUnderWay = ({ isOpen = false, queuedAt = 0, began }: CallSeen, { recordsUntil }: Books): boolean =>
  isOpen || (queuedAt > recordsUntil && began > recordsUntil - LONGEST_CALL_MS);
