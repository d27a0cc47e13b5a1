import { passwordReset } from '../accounts/limits.ts';
import type { Session, User } from '../accounts/user.ts';
import type { Statements, Value } from '../store/statements.ts';
import { columnsOf } from './user-columns.ts';

export type CredentialStore = ReturnType<typeof createCredentialStore>;

/** A session with its user as they were when what they have proved was checked. */
export type AsChecked = {
  readonly id: Session['id'];
  readonly user: Pick<User, 'linkCounter' | 'password' | 'secondFactor'>;
};

/**
 * For a change of a row of `users` RETURNING it: that the user is still as checked, and the session open. `first`: the first of
 * `values`. Without a session nothing is asked.
 */
export function ifAsChecked(session: AsChecked | undefined, first: number) {
  if (session === undefined) return { condition: '', values: [], assertChanged: () => {} };
  const { id, user } = session;
  const values: readonly Value[] = [user.linkCounter, user.secondFactor, id];
  return {
    condition: `AND link_counter = $${first} AND second_factor IS NOT DISTINCT FROM $${first + 1}
      AND EXISTS (SELECT 1 FROM sessions WHERE id = $${first + 2})`,
    values,
    /** @throws ChangeRefused if no row was changed */
    assertChanged(rows: readonly unknown[]): void {
      if (rows.length === 0) throw passwordReset(user.password);
    },
  };
}

/** What proves who a user is, apart from the password: the second factor, recovery codes and one-time links. */
export const createCredentialStore = ({ write, contains }: Pick<Statements, 'write' | 'contains'>) => ({
  /**
   * Switches the second factor on with new recovery codes (hashes), or off with null. `session`: of whom it is asked.
   * @throws ChangeRefused if the password or the second factor has been reset since it was checked, or the session has ended
   */
  async setSecondFactor(
    id: number,
    secondFactor: string | null,
    codes: readonly string[],
    session?: AsChecked,
  ): Promise<void> {
    const { condition, values, assertChanged } = ifAsChecked(session, 4);
    const changed = await write(
      `UPDATE users SET second_factor = $2, code_step = 0, recovery_codes = $3
       WHERE id = $1 ${condition} RETURNING id`,
      ...[id, secondFactor, codes.map((code) => `${code} `).join('')],
      ...values,
    );
    assertChanged(changed);
  },
  /**
   * Uses up the codes of a time step and all before; false if that was done already. `latest`: a step that is later was used
   * while the clock was ahead, and must not keep the user out until then.
   */
  async useCodeStep(id: number, step: number, latest: number): Promise<boolean> {
    const sql =
      'UPDATE users SET code_step = $2 WHERE id = $1 AND (code_step < $2 OR code_step > $3) RETURNING id';
    return (await write(sql, id, step, latest)).length > 0;
  },
  /** Uses a recovery code up; false if the user has none with this hash. */
  async useRecoveryCode(id: number, hash: string): Promise<boolean> {
    const used = await write(
      `UPDATE users SET recovery_codes = replace(recovery_codes, $2, '')
       WHERE id = $1 AND ${contains('recovery_codes', '$2')} RETURNING id`,
      ...[id, `${hash} `],
    );
    return used.length > 0;
  },
  /** Increments the user's link counter, which ends earlier links; returns the new counter. */
  async newLink(id: number): Promise<number> {
    const [user] = await write<{ counter: number }>(
      'UPDATE users SET link_counter = link_counter + 1 WHERE id = $1 RETURNING link_counter AS counter',
      id,
    );
    return user?.counter as number;
  },
  /** The user whose one-time link has this counter, once: the link ends. Undefined if it has ended before. */
  async useLink(uid: string, counter: number): Promise<User | undefined> {
    const [user] = await write<User>(
      `UPDATE users SET link_counter = link_counter + 1 WHERE uid = $1 AND link_counter = $2 RETURNING ${columnsOf()}`,
      ...[uid, counter],
    );
    return user;
  },
});
