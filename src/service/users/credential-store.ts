import type { User } from '../accounts/user.ts';
import type { Statements } from '../store/statements.ts';
import { columnsOf } from './user-columns.ts';

export type CredentialStore = ReturnType<typeof createCredentialStore>;

/** What proves who a user is, apart from the password: the second factor, recovery codes and one-time links. */
export const createCredentialStore = ({ write, contains }: Pick<Statements, 'write' | 'contains'>) => ({
  /** Switches the second factor on with new recovery codes (hashes), or off with null. */
  async setSecondFactor(id: number, secondFactor: string | null, codes: readonly string[]): Promise<void> {
    await write(
      'UPDATE users SET second_factor = $2, code_step = 0, recovery_codes = $3 WHERE id = $1',
      ...[id, secondFactor, codes.map((code) => `${code} `).join('')],
    );
  },
  /** Uses up the codes of a time step and all before; false if that was done already. */
  async useCodeStep(id: number, step: number): Promise<boolean> {
    const sql = 'UPDATE users SET code_step = $2 WHERE id = $1 AND code_step < $2 RETURNING id';
    return (await write(sql, id, step)).length > 0;
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
