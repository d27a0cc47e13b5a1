import type { Statements, Value } from '../store/statements.ts';
import { trimOldest } from '../store/trim-oldest.ts';
import type { AuditEntry, AuditStore } from './audit-store.ts';

/** Characters kept of a text. */
const LENGTH = 300;

const clean = (text: string) =>
  text
    .slice(0, LENGTH)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_C}\p{Zl}\p{Zp}]/gu, '\ufffd');

export function auditRows({ read, write, along, contains }: Statements): AuditStore {
  return {
    async write({ account, at, what, who, from, target }) {
      await write(
        'INSERT INTO audit (account_id, at, what, who, source, target) VALUES ($1, $2, $3, $4, $5, $6)',
        ...[account, at, what, clean(who), clean(from), clean(target)],
      );
    },

    async page({ account, what, who, before, limit }) {
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

    async mask(account, text, by) {
      await write(
        `UPDATE audit SET target = replace(target, $2, $3) WHERE account_id = $1 AND ${contains('target', '$2')}`,
        ...[account, text, by],
      );
    },

    trim: (before) => trimOldest({ read, write }, 'audit', before),
  };
}
