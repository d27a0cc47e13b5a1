import { accountLimits } from '../accounts/limits.ts';
import type { Role, User } from '../accounts/user.ts';
import { given, type Statements } from '../store/statements.ts';
import { type AsChecked, createCredentialStore, ifAsChecked } from './credential-store.ts';
import { createSessionStore } from './session-store.ts';
import { columnsOf } from './user-columns.ts';

export type UserStore = ReturnType<typeof createUserStore>;

/** Users with their sessions and what proves who they are. */
export const createUserStore = (statements: Statements) => ({
  ...createUserReader(statements),
  ...createUserWriter(statements),
  ...createCredentialStore(statements),
  ...createSessionStore(statements),
});

type NewUser = Omit<User, 'id' | 'secondFactor' | 'linkCounter' | 'language' | 'bar'>;

const columns = columnsOf();

/** True if the database refused a second user with the same sign-in name. */
const isTaken = (error: unknown) =>
  (error as { code?: string }).code === '23505' || /^UNIQUE constraint failed/.test((error as Error).message);

const createUserReader = ({ read, along }: Pick<Statements, 'read' | 'along'>) => ({
  /** Those of an account, by sign-in name. */
  list: (account: number): Promise<User[]> =>
    read(`SELECT ${columns} FROM users WHERE account_id = $1 ORDER BY sign_in_name`, account),
  /** The first of them, by sign-in name, after `skipped`. */
  page: (account: number, most: number, skipped: number): Promise<User[]> =>
    read(
      `SELECT ${columns} FROM users WHERE account_id = $1 ORDER BY sign_in_name LIMIT $2 OFFSET $3`,
      ...[account, most, skipped],
    ),
  /** When each of these users of an account was last active: by the session, else by the audit log. */
  async lastSeen(account: number, ids: readonly number[]): Promise<Map<number, number>> {
    if (ids.length === 0) return new Map();
    const seen = await read<{ id: number; used: number | null; signed: number | null }>(
      `SELECT id, (SELECT max(used_at) FROM sessions WHERE user_id = users.id) AS used,
         (SELECT at FROM audit ${along('audit_by_who')} WHERE account_id = users.account_id AND who = users.name
           AND what <> 'sign-in-failed' ORDER BY at DESC LIMIT 1) AS signed
       FROM users WHERE account_id = $1 AND id IN (${ids.map((_, n) => `$${n + 2}`).join()})`,
      ...[account, ...ids],
    );
    const times = seen.map(({ id, used, signed }) => [id, Math.max(used ?? 0, signed ?? 0)] as const);
    return new Map(times.filter(([, at]) => at > 0));
  },
  /** By sign-in name: the one of that account if there is one, else the oldest of all. */
  async find(
    by: { readonly uid: string } | { readonly signInName: string; readonly account: number | null },
  ): Promise<User | undefined> {
    const [user] =
      'uid' in by
        ? await read<User>(`SELECT ${columns} FROM users WHERE uid = $1`, by.uid)
        : await read<User>(
            `SELECT ${columns} FROM users WHERE sign_in_name = $1
             ORDER BY CASE account_id WHEN $2 THEN 0 ELSE 1 END, id LIMIT 1`,
            ...[by.signInName, by.account],
          );
    return user;
  },
});

function createUserWriter({ write, writeAlone, lockingRows }: Statements) {
  /** False for the last administrator of an account. The locks serialise two who demote each other. */
  const notTheLast = `(role <> 'administrator' OR 1 < (SELECT count(*) FROM (SELECT id FROM users a
    WHERE a.account_id = users.account_id AND a.role = 'administrator' ORDER BY id ${lockingRows}) administrators))`;

  return {
    /** Undefined if somebody in the account has this sign-in name already, or if it has as many as it can have. */
    async add(made: NewUser): Promise<User | undefined> {
      const { uid, account, name, signInName, role, password, createdAt } = made;
      const [user] = await writeAlone<User>(
        account,
        `INSERT INTO users (uid, account_id, name, sign_in_name, role, password, created_at)
         SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM users WHERE account_id = $2)
           < coalesce((SELECT most_users FROM accounts WHERE id = $2), $8)
         ON CONFLICT (account_id, sign_in_name) DO NOTHING RETURNING ${columns}`,
        ...[uid, account, name, signInName, role, password, createdAt, accountLimits.users],
      );
      return user;
    },
    /**
     * False, and nothing changed, if another user has the sign-in name. A new password, or none, ends the user's link.
     * `session`: of whom it is asked, as it was when their password, or their link, was checked.
     * @throws ChangeRefused if the user's password has been reset since then, or the session has ended
     */
    async change(
      id: number,
      changed: { name?: string; signInName?: string; language?: string; password?: string | null },
      session?: AsChecked,
    ): Promise<boolean> {
      const { name = null, signInName = null, language = null, password } = changed;
      try {
        const { condition, values, assertChanged } = ifAsChecked(session, 7);
        const found = await write(
          `UPDATE users SET name = coalesce($2, name), sign_in_name = coalesce($3, sign_in_name),
             language = coalesce($6, language),
             password = CASE WHEN $4 THEN $5 ELSE password END,
             link_counter = link_counter + CASE WHEN $4 THEN 1 ELSE 0 END WHERE id = $1 ${condition} RETURNING id`,
          ...[id, name, signInName, ...given(password), language],
          ...values,
        );
        assertChanged(found);
        return true;
      } catch (error) {
        if (isTaken(error)) return false;
        throw error;
      }
    },
    async setBar(id: number, bar: string | null): Promise<void> {
      await write('UPDATE users SET bar = $2 WHERE id = $1', id, bar);
    },
    /** False, and nothing changed, if it is the account's last administrator. */
    async setRole(id: number, role: Role): Promise<boolean> {
      const changed = await write(
        `UPDATE users SET role = $2 WHERE id = $1 AND (role = $2 OR ${notTheLast}) RETURNING id`,
        ...[id, role],
      );
      return changed.length > 0;
    },
    /** The user with all that is theirs: sessions. False as for `setRole`. */
    async remove(id: number): Promise<boolean> {
      return (await write(`DELETE FROM users WHERE id = $1 AND ${notTheLast} RETURNING id`, id)).length > 0;
    },
  };
}
