import type { Account, DirectoryStore, Integration } from '../directory-store.ts';
import type { IntegrationUse } from '../request-store.ts';
import type { Database } from './database.ts';

const accountColumns = `id, uid, name, country, time_zone AS "timeZone", token_counter AS "tokenCounter"`;
const integrationColumns = `id, uid, account_id AS account, name, token_counter AS "tokenCounter", enabled,
  created_at AS "createdAt"`;

export function directoryRows(database: Database): DirectoryStore {
  return {
    async read(known) {
      // The version first: what changes meanwhile is read again the next time, and not missed.
      const [current] = await database.rows<{ version: number }>('SELECT version FROM directory');
      const version = current?.version ?? 0;
      if (version === known) return undefined;
      const [accounts, integrations] = await database.transact([
        [`SELECT ${accountColumns} FROM accounts ORDER BY id`],
        [`SELECT ${integrationColumns} FROM integrations ORDER BY id`],
      ]);
      return {
        version,
        directory: { accounts: accounts as Account[], integrations: integrations as Integration[] },
      };
    },
    async addAccount({ uid, name, country }) {
      const [account] = await database.rows<Account>(
        `INSERT INTO accounts (uid, name, country) VALUES ($1, $2, $3) RETURNING ${accountColumns}`,
        uid,
        name,
        country,
      );
      return account as Account;
    },
    async changeAccount(id, { name = null, country, timeZone, rotate }) {
      await database.rows(
        `UPDATE accounts SET name = coalesce($2, name), country = CASE WHEN $3 THEN $4 ELSE country END,
           time_zone = CASE WHEN $5 THEN $6 ELSE time_zone END, token_counter = token_counter + $7 WHERE id = $1`,
        id,
        name,
        country !== undefined,
        country ?? null,
        timeZone !== undefined,
        timeZone ?? null,
        rotate ? 1 : 0,
      );
    },
    async addIntegration({ uid, account, name, createdAt }) {
      const [integration] = await database.rows<Integration>(
        `INSERT INTO integrations (uid, account_id, name, created_at) VALUES ($1, $2, $3, $4)
         RETURNING ${integrationColumns}`,
        uid,
        account,
        name,
        createdAt,
      );
      return integration as Integration;
    },
    async changeIntegration(id, { name = null, enabled = null, rotate }) {
      await database.rows(
        `UPDATE integrations SET name = coalesce($2, name), enabled = coalesce($3, enabled),
           token_counter = token_counter + $4 WHERE id = $1`,
        id,
        name,
        enabled,
        rotate ? 1 : 0,
      );
    },
  };
}

/** How each of an account's integrations is used; `since` in quarters of an hour. */
export function integrationUse(
  database: Database,
  account: number,
  since: number,
): Promise<IntegrationUse[]> {
  return database.rows<IntegrationUse>(
    `SELECT i.id AS integration, max(u.last_at) AS "lastAt",
       coalesce(sum(u.requests) FILTER (WHERE u.quarter >= $2), 0)::bigint AS requests
     FROM integrations i JOIN integration_use u ON u.integration_id = i.id WHERE i.account_id = $1
     GROUP BY i.id ORDER BY i.id`,
    account,
    since,
  );
}
