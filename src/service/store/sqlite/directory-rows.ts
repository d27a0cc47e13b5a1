import type { DatabaseSync } from 'node:sqlite';
import type { Account, Directory, DirectoryStore, Integration } from '../directory-store.ts';
import type { IntegrationUse } from '../request-store.ts';

const accountColumns = 'id, uid, name, country, time_zone AS timeZone, token_counter AS tokenCounter';
const integrationColumns = `id, uid, account_id AS account, name, token_counter AS tokenCounter, enabled,
  created_at AS createdAt`;

type IntegrationRow = Omit<Integration, 'enabled'> & { enabled: number };

function integrationOf(row: unknown): Integration {
  const integration = row as IntegrationRow;
  return { ...integration, enabled: integration.enabled === 1 };
}

/** Changes to accounts and integrations. */
export function directoryWriter(db: DatabaseSync) {
  const addAccount = db.prepare(
    `INSERT INTO accounts (uid, name, country) VALUES (?, ?, ?) RETURNING ${accountColumns}`,
  );
  const changeAccount = db.prepare(
    `UPDATE accounts SET name = coalesce(?, name), country = iif(?, ?, country), time_zone = iif(?, ?, time_zone),
       token_counter = token_counter + ? WHERE id = ?`,
  );
  const addIntegration = db.prepare(
    `INSERT INTO integrations (uid, account_id, name, created_at) VALUES (?, ?, ?, ?) RETURNING ${integrationColumns}`,
  );
  const changeIntegration = db.prepare(
    'UPDATE integrations SET name = coalesce(?, name), enabled = coalesce(?, enabled), token_counter = token_counter + ? WHERE id = ?',
  );
  return {
    addAccount: ({ uid, name, country }: Parameters<DirectoryStore['addAccount']>[0]): Account => ({
      ...(addAccount.get(uid, name, country) as unknown as Account),
    }),
    changeAccount(id: number, change: Parameters<DirectoryStore['changeAccount']>[1]): void {
      const { name = null, country, timeZone, rotate } = change;
      const given = (value: string | null | undefined) =>
        [value === undefined ? 0 : 1, value ?? null] as const;
      changeAccount.run(name, ...given(country), ...given(timeZone), rotate ? 1 : 0, id);
    },
    addIntegration: (integration: Parameters<DirectoryStore['addIntegration']>[0]): Integration =>
      integrationOf(
        addIntegration.get(integration.uid, integration.account, integration.name, integration.createdAt),
      ),
    changeIntegration(id: number, change: Parameters<DirectoryStore['changeIntegration']>[1]): void {
      const { name = null, enabled, rotate } = change;
      changeIntegration.run(name, enabled === undefined ? null : Number(enabled), rotate ? 1 : 0, id);
    },
  };
}

export function directoryReader(db: DatabaseSync) {
  const version = db.prepare('SELECT version FROM directory');
  const accounts = db.prepare(`SELECT ${accountColumns} FROM accounts ORDER BY id`);
  const integrations = db.prepare(`SELECT ${integrationColumns} FROM integrations ORDER BY id`);
  const use = db.prepare(
    `SELECT i.id AS integration, max(u.last_at) AS lastAt, sum(iif(u.quarter >= ?, u.requests, 0)) AS requests
     FROM integrations i JOIN integration_use u ON u.integration_id = i.id WHERE i.account_id = ? GROUP BY i.id
     ORDER BY i.id`,
  );
  return {
    integrationUse: (account: number, since: number): IntegrationUse[] =>
      use.all(since, account).map((row) => ({ ...row }) as unknown as IntegrationUse),
    directory(known: number): { version: number; directory: Directory } | undefined {
      const current = (version.get() as { version: number }).version;
      if (current === known) return undefined;
      return {
        version: current,
        directory: {
          accounts: accounts.all().map((row) => ({ ...row }) as unknown as Account),
          integrations: integrations.all().map(integrationOf),
        },
      };
    },
  };
}
