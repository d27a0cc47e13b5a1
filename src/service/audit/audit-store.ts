import { inSteps, rewriteTexts, type Statements, trimOldest, type Value } from '../store/statements.ts';
import type { AuditKind } from '../words/audit-kinds.ts';

/** An entry of the audit log. No field ever holds a secret. */
type AuditEntry = {
  /** Null if it concerns no account, such as a failed sign-in with a name that no user has. */
  readonly account: number | null;
  /** Unix ms. */
  readonly at: number;
  readonly what: AuditKind;
  /** The user's name at that time, `administration token`, or the system user of a command; '' if unknown. */
  readonly who: string;
  /** The client's address, the same with ` (/admin)`, or `command`. `unknown`: the client had left before the connection was accepted. */
  readonly from: string;
  /** What was changed, such as `Ann: administrator`. */
  readonly target: string;
};

type AuditCursor = { readonly at: number; readonly id: number };

export type AuditStore = ReturnType<typeof auditRows>;

/** Characters kept of a text. */
const LENGTH = 300;
/** Entries that are changed in one statement. */
const STEP = 500;

const clean = (text: string) =>
  text
    .slice(0, LENGTH)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_C}\p{Zl}\p{Zp}]/gu, '\ufffd');

/** Who did what, from where and when. Entries are deleted only by age, and changed only to forget people. */
export function auditRows({ read, write, along }: Statements) {
  return {
    /** Control characters are replaced, long texts are cut. */
    async write({ account, at, what, who, from, target }: AuditEntry): Promise<void> {
      await write(
        'INSERT INTO audit (account_id, at, what, who, source, target) VALUES ($1, $2, $3, $4, $5, $6)',
        ...[account, at, what, clean(who), clean(from), clean(target)],
      );
    },
    /** The next `limit` entries before a place (null: the newest), newest first. `what`, `who`: null for all. */
    async page(query: {
      account: number;
      what: string | null;
      who: string | null;
      before: AuditCursor | null;
      limit: number;
    }): Promise<{ entries: AuditEntry[]; next: AuditCursor | null }> {
      const { account, what, who, before, limit } = query;
      const values: Value[] = [account];
      const where = ['account_id = $1'];
      if (who !== null) where.push(`who = $${values.push(who)}`);
      if (what !== null) where.push(`what = $${values.push(what)}`);
      if (before !== null) where.push(`(at, id) < ($${values.push(before.at)}, $${values.push(before.id)})`);
      const index = who !== null ? 'audit_by_who' : what !== null ? 'audit_by_what' : 'audit_by_time';
      const rows = await read<AuditEntry & { id: number }>(
        `SELECT id, account_id AS account, at, what, who, source AS "from", target FROM audit ${along(index)}
         WHERE ${where.join(' AND ')} ORDER BY at DESC, id DESC LIMIT $${values.push(limit + 1)}`,
        ...values,
      );
      const last = rows[limit - 1];
      return {
        entries: rows.slice(0, limit).map(({ id, ...entry }) => entry),
        next: rows.length > limit && last ? { at: last.at, id: last.id } : null,
      };
    },
    /** Rewrites the targets of an account's entries. Returns how many have changed. */
    rewrite: (account: number, rewritten: (text: string) => string): Promise<number> =>
      rewriteTexts({ read, write }, 'audit', 'target', 'account_id = $1', account, rewritten),
    /** Writes `instead` in place of targets that name a customer or a number, and are older than `before` (Unix ms). */
    async dropPeople(account: number, before: number, instead: string): Promise<void> {
      const sql = `UPDATE audit SET target = $3 WHERE id IN (SELECT id FROM audit WHERE account_id = $1 AND at < $2
        AND (target LIKE 'customer %' OR target LIKE 'number %' OR target LIKE 'note of %') LIMIT ${STEP}) RETURNING id`;
      await inSteps(STEP, () => write(sql, account, before, instead));
    },
    /** Deletes what is older than `before` (Unix ms); returns how many. */
    trim: (before: number): Promise<number> => trimOldest({ read, write }, 'audit', before),
  };
}
