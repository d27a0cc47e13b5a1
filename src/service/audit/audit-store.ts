import type { AuditKind } from '../words/audit-kinds.ts';
/** An entry of the audit log. No field ever holds a secret. */
export type AuditEntry = {
  /** 0 if it concerns no account: a failed sign-in with a name that no user has. */
  readonly account: number;
  /** Unix ms. */
  readonly at: number;
  readonly what: AuditKind;
  /** The user's name at that time, `administration token`, or the system user of a command; '' if unknown. */
  readonly who: string;
  /** The client's address, the same with ` (/admin)`, or `command`. */
  readonly from: string;
  /** What was changed, such as `Ann: administrator`. */
  readonly target: string;
};

type AuditCursor = { readonly at: number; readonly id: number };

/** Who did what, from where and when. Entries are deleted only by age, and changed only to forget a number. */
export interface AuditStore {
  /** Control characters are replaced, long texts are cut. */
  write(entry: AuditEntry): Promise<void>;
  /** The next `limit` entries before a place (null: the newest), newest first. `what`, `who`: null for all. */
  page(query: {
    account: number;
    what: string | null;
    who: string | null;
    before: AuditCursor | null;
    limit: number;
  }): Promise<{ entries: AuditEntry[]; next: AuditCursor | null }>;
  /** Replaces a text in the targets of an account's entries. */
  mask(account: number, text: string, by: string): Promise<void>;
  /** Deletes what is older than `before` (Unix ms); returns how many. */
  trim(before: number): Promise<number>;
}
