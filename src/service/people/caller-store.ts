import type { GroupKind } from '../calls/aggregate.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { Span } from '../kit/calendar.ts';

/** What a user did about a caller's missed calls, or a note about the caller. */
export type CallerAction = {
  readonly number: string;
  /** Unix ms. */
  readonly at: number;
  /** The user's name at that time: it stays when the user is removed. */
  readonly user: string;
  /** `taken`: will call back; `released`: will not; `done`: nothing is left to do; `reopened`: there is. */
  readonly kind: 'taken' | 'released' | 'done' | 'reopened' | 'note';
  /** The note; null for the other kinds. */
  readonly text: string | null;
};

export type MissedCall = {
  readonly call: CallRecord;
  /** The first later call from the same number that was answered. */
  readonly reached: { readonly id: string; readonly at: number; readonly by: string | null } | null;
};

/** The missed calls of one number that ended in a span. */
export type MissedCaller = {
  /** The newest one, by its end. */
  readonly call: CallRecord;
  /** From the beginning to the end of each, newest first by their ends. */
  readonly calls: readonly Span[];
  /** The first call after the newest one that was answered. */
  readonly reached: MissedCall['reached'];
  /** When the last answered call of the number began, if that is in the span. */
  readonly answeredAt: number | null;
};

/** The calls of a group alone; null: all. */
export type CallGroup = { readonly kind: GroupKind; readonly name: string };

export type CallerCounts = {
  readonly number: string;
  /** The customer's reference and name; null for none. */
  readonly customer: string | null;
  readonly name: string | null;
  readonly calls: number;
  readonly missed: number;
};

/** Callers by their numbers: whom to call back, and what colleagues did and noted. */
export interface CallerStore {
  /** The newest `max` missed calls of an account that ended in a span, oldest first. */
  missed(account: number, ended: Span, max: number, group?: CallGroup | null): Promise<MissedCall[]>;
  /** Each number, or the one given, of an account that was missed since `since`: by the ends of the calls. Unordered. */
  missedCallers(account: number, since: number, number?: string): Promise<MissedCaller[]>;
  /** How often each caller called in a span, which is a day, or has some thousand calls. Unordered. */
  counts(account: number, span: Span, group: CallGroup | null): Promise<CallerCounts[]>;
  act(account: number, action: CallerAction): Promise<void>;
  /** Deletes a note; false if there is none. */
  removeNote(account: number, note: Pick<CallerAction, 'number' | 'at' | 'user'>): Promise<boolean>;
  /** Deletes what was done about a number. */
  forget(account: number, number: string): Promise<void>;
  /** The newest `max` actions since `since` (before `until`), or about one number; oldest first. */
  actions(
    account: number,
    which: { readonly since: number; readonly until?: number } | { readonly number: string },
    max: number,
  ): Promise<CallerAction[]>;
}
