import type { Statements } from '../store/statements.ts';
import type { Integration } from './account.ts';
import { integrationColumns, integrationOf } from './directory-reader.ts';
import { accountLimits, integrationNameTaken, limitReached, tokenReplaced } from './limits.ts';

export type IntegrationChange = {
  readonly name?: string;
  readonly enabled?: boolean;
  /**
   * Makes a new token in place of the one with this counter, which is then accepted until `oldTokenUntil`, or no longer. Two
   * who replace one token at the same moment would otherwise end it: only one old token is accepted.
   */
  readonly replaces?: number;
  /** Unix ms; null ends it. */
  readonly oldTokenUntil?: number | null;
};

export function createIntegrationStore({ read, write, writeAlone }: Statements) {
  return {
    /** @throws ChangeRefused if the account has one of that name, or as many as it can have */
    async addIntegration(
      made: Pick<Integration, 'uid' | 'account' | 'name' | 'createdAt'>,
    ): Promise<Integration> {
      const { uid, account, name, createdAt } = made;
      const [integration] = await writeAlone<Integration>(
        account,
        `INSERT INTO integrations (uid, account_id, name, created_at) SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM integrations WHERE account_id = $2) < $5
           AND NOT EXISTS (SELECT 1 FROM integrations WHERE account_id = $2 AND name = $3)
         RETURNING ${integrationColumns}`,
        ...[uid, account, name, createdAt, accountLimits.integrations],
      );
      if (integration) return integrationOf(integration);
      throw (await hasIntegration(read, account, name))
        ? integrationNameTaken(name)
        : limitReached('integrations');
    },
    /**
     * Returns the integration as it is then; undefined if there is none.
     * @throws ChangeRefused if another one of the account has the new name, or the token was replaced by another request
     */
    async changeIntegration(id: number, change: IntegrationChange): Promise<Integration | undefined> {
      const { name = null, enabled = null, replaces, oldTokenUntil } = change;
      const [known] = await read<{ account: number }>(
        'SELECT account_id AS account FROM integrations WHERE id = $1',
        id,
      );
      if (known === undefined) return undefined;
      const { account } = known;
      const isNew = replaces !== undefined;
      const [changed] = await writeAlone<Integration>(
        account,
        `UPDATE integrations SET name = coalesce($2, name), enabled = coalesce($3, enabled),
           token_counter = token_counter + $4, old_token_until = CASE WHEN $5 THEN $6 ELSE old_token_until END
         WHERE id = $1 AND token_counter = coalesce($8, token_counter)
           AND (name = coalesce($2, name) OR NOT EXISTS (SELECT 1 FROM integrations other
             WHERE other.account_id = $7 AND other.name = $2)) RETURNING ${integrationColumns}`,
        ...[id, name, enabled, isNew ? 1 : 0],
        ...[isNew || oldTokenUntil !== undefined, oldTokenUntil ?? null, account, replaces ?? null],
      );
      if (changed === undefined) {
        if (name !== null && (await hasIntegration(read, account, name))) throw integrationNameTaken(name);
        if (isNew) throw tokenReplaced();
        return undefined;
      }
      if (isNew)
        await write(
          `DELETE FROM old_token_uses WHERE integration_id = $1
             AND token_counter < (SELECT token_counter - 1 FROM integrations WHERE id = $1)`,
          id,
        );
      return integrationOf(changed);
    },
  };
}

async function hasIntegration(read: Statements['read'], account: number, name: string): Promise<boolean> {
  const sql = 'SELECT id FROM integrations WHERE account_id = $1 AND name = $2 LIMIT 1';
  return (await read(sql, account, name)).length > 0;
}
