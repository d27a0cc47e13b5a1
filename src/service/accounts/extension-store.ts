import { keysOf, type Statements } from '../store/statements.ts';
import type { Extension } from './account.ts';
import { accountLimits, limitReached } from './limits.ts';

export function createExtensionStore({ read, write, writeAlone }: Statements) {
  return {
    /**
     * Names an extension and its user; without either it is forgotten.
     * @throws ChangeRefused if it is new, and the account has as many as it can have
     */
    async putExtension(
      account: number,
      { extension, name, user }: Pick<Extension, 'extension' | 'name' | 'user'>,
    ): Promise<void> {
      if (name === '' && user === null) {
        await write('DELETE FROM extensions WHERE account_id = $1 AND extension = $2', account, extension);
        return;
      }
      const put = await writeAlone(
        account,
        `INSERT INTO extensions (account_id, extension, name, user_id) SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM extensions WHERE account_id = $1) < $5
           OR EXISTS (SELECT 1 FROM extensions WHERE account_id = $1 AND extension = $2)
         ON CONFLICT (account_id, extension) DO UPDATE SET name = excluded.name, user_id = excluded.user_id
         RETURNING extension`,
        ...[account, extension, name, user, accountLimits.extensions],
      );
      if (put.length === 0) throw limitReached('extensions');
    },
    /**
     * Gives a user of the account these extensions, and no others; false if they had them already.
     * @throws ChangeRefused if the account cannot have as many; nothing is changed
     */
    async giveExtensions(account: number, user: number, wanted: readonly string[]): Promise<boolean> {
      const given = keysOf(wanted);
      const isTooMany = `(SELECT count(*) > 0 AND count(*) + (SELECT count(*) FROM extensions WHERE account_id = $1) > $3
        FROM json_each($2) WHERE key NOT IN (SELECT extension FROM extensions WHERE account_id = $1))`;
      const limited = [account, given, accountLimits.extensions] as const;
      const changed = await writeAlone(
        account,
        `INSERT INTO extensions (account_id, extension, name, user_id)
         SELECT $1, w.extension, coalesce(k.name, ''), w.user_id
         FROM (SELECT key AS extension, CAST($4 AS bigint) AS user_id FROM json_each($2)
             UNION ALL SELECT extension, NULL FROM extensions
               WHERE account_id = $1 AND user_id = $4 AND extension NOT IN (SELECT key FROM json_each($2))) w
           LEFT JOIN extensions k ON k.account_id = $1 AND k.extension = w.extension
         WHERE (k.user_id IS DISTINCT FROM w.user_id OR k.extension IS NULL) AND NOT ${isTooMany}
         ON CONFLICT (account_id, extension) DO UPDATE SET user_id = excluded.user_id
         RETURNING extension`,
        ...[...limited, user],
      );
      if (changed.length === 0) {
        const [{ refused } = { refused: false }] = await read<{ refused: boolean }>(
          `SELECT ${isTooMany} AS refused`,
          ...limited,
        );
        if (refused) throw limitReached('extensions');
        return false;
      }
      await write("DELETE FROM extensions WHERE account_id = $1 AND name = '' AND user_id IS NULL", account);
      return true;
    },
  };
}
