import { isTimeZone } from '../rules/time-zone.ts';
import { keysOf, type Statements } from '../store/statements.ts';
import { accountLimits, integrationNameTaken, limitReached, tokenReplaced } from './limits.ts';

export type Account = {
  readonly id: number;
  /** Random; names the account outside of this database. */
  readonly uid: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2: how numbers without a country code are read. Null: none. */
  readonly country: string | null;
  /** IANA name of the zone that its people read times in. Null: that of the machine. */
  readonly timeZone: string | null;
  /** Seconds: the goal that reports compare times to answer with. */
  readonly answerWithin: number;
  /** Raised to make the administration token a new one. */
  readonly tokenCounter: number;
  /** The address of a caller in the office's own program, with places for the number (see crm-link.ts). Null: none. */
  readonly crmUrl: string | null;
  /** Whether agents may delete customers and notes; administrators may always. */
  readonly agentsDelete: boolean;
  /** JSON (see opening-hours.ts). Null: none. */
  readonly openingHours: string | null;
  /** Requests of all its integrations that a process takes in a minute. Null: no limit. */
  readonly requestsPerMinute: number | null;
  /** Null: no limit. */
  readonly mostUsers: number | null;
};

/** The name and user that administrators gave to an extension, or to a number that is called. */
export type Extension = {
  readonly account: number;
  readonly extension: string;
  /** '' for none: then it goes by its user's name. */
  readonly name: string;
  /** The user's id. */
  readonly user: number | null;
  readonly userName: string | null;
};

type Extensions = ReadonlyMap<string, Extension>;

export type Integration = {
  readonly id: number;
  readonly uid: string;
  readonly account: number;
  readonly name: string;
  readonly tokenCounter: number;
  /** Until when the token before this one is accepted, too, Unix ms; null: no longer. */
  readonly oldTokenUntil: number | null;
  readonly enabled: boolean;
  /** Unix ms. */
  readonly createdAt: number;
};

/** The tokens of the whole service, each with a counter that is raised to make it a new one. */
export type SiteTokens = { readonly operator: number; readonly fleet: number };

export type Directory = {
  readonly siteTokens: SiteTokens;
  readonly accounts: Account[];
  readonly integrations: Integration[];
  /** By account. That of an account is the same object until one of its extensions changes. */
  readonly extensions: ReadonlyMap<number, Extensions>;
};

/** A new name is `renameAccount`, a new token `rotateAdminToken`. */
export type AccountChange = Partial<Omit<Account, 'id' | 'uid' | 'name' | 'tokenCounter'>>;

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

/** `lastAt`: Unix ms, to a minute. */
export type OldTokenUse = { readonly address: string; readonly lastAt: number };

/** `lastAt`: its last request; `reportedAt`: the last report of its bridge. Unix ms; null: there was none. */
export type FleetBridgeRow = {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly account: number;
  readonly lastAt: number | null;
  readonly reportedAt: number | null;
  readonly report: string | null;
};

export type FleetAccountRow = {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly users: number;
  readonly mostUsers: number | null;
  readonly requestsPerMinute: number | null;
  readonly customers: number;
};

export type DirectoryStore = ReturnType<typeof directoryRows>;

/** Another change of the directory came first: read it again. */
export class DirectoryChanged extends Error {}

const accountColumns = `id, uid, name, country, time_zone AS "timeZone", token_counter AS "tokenCounter",
  crm_url AS "crmUrl", agents_delete AS "agentsDelete", answer_within AS "answerWithin",
  opening_hours AS "openingHours", requests_per_minute AS "requestsPerMinute", most_users AS "mostUsers"`;
const integrationColumns = `id, uid, account_id AS account, name, token_counter AS "tokenCounter",
  old_token_until AS "oldTokenUntil", enabled, created_at AS "createdAt"`;

const integrationOf = (row: Integration): Integration => ({ ...row, enabled: Boolean(row.enabled) });
/** A zone that nothing can count with, as 1.0.0 let in (JST), is none: an administrator is asked for one. */
const accountOf = ({ timeZone, ...row }: Account): Account => ({
  ...row,
  timeZone: timeZone !== null && isTimeZone(timeZone) ? timeZone : null,
  agentsDelete: Boolean(row.agentsDelete),
});

function extensionsIn(text: string, account: number): Extensions {
  const rows: [string, string, number | null, string | null][] = JSON.parse(text);
  return new Map(
    rows.map(([extension, name, user, userName]) => [
      extension,
      { account, extension, name, user, userName },
    ]),
  );
}

/** Accounts, integrations and the names of extensions: few, read often, changed by people (also by another process: the command line). */
export function directoryRows({ read, lookup, write, writeAlone, jsonRows }: Statements) {
  let parsed = new Map<number, { readonly text: string; readonly extensions: Extensions }>();
  /** A text for each account: there are many extensions, and a change is one of a few. Only a text that has changed is parsed. */
  async function readExtensions(): Promise<Map<number, Extensions>> {
    const rows = await read<{ account: number; text: string }>(
      `SELECT e.account_id AS account, ${jsonRows('e.extension, e.name, u.id, u.name', 'e.extension')} AS text
       FROM extensions e LEFT JOIN users u ON u.id = e.user_id GROUP BY e.account_id ORDER BY e.account_id`,
    );
    parsed = new Map(
      rows.map(({ account, text }) => {
        const before = parsed.get(account);
        return [account, before?.text === text ? before : { text, extensions: extensionsIn(text, account) }];
      }),
    );
    return new Map([...parsed].map(([account, { extensions }]) => [account, extensions]));
  }
  async function hasIntegration(account: number, name: string): Promise<boolean> {
    const sql = 'SELECT id FROM integrations WHERE account_id = $1 AND name = $2 LIMIT 1';
    return (await read(sql, account, name)).length > 0;
  }
  return {
    /** Everything, if it changed since `version`. */
    async read(known: number): Promise<{ version: number; directory: Directory } | undefined> {
      // Reads the version first: a change during the read then causes another read.
      const [{ version, ...siteTokens } = { version: 0, operator: 0, fleet: 0 }] = await lookup<
        SiteTokens & { version: number }
      >('SELECT version, operator_counter AS operator, fleet_counter AS fleet FROM directory');
      if (version === known) return undefined;
      const integrations = await read<Integration>(
        `SELECT ${integrationColumns} FROM integrations ORDER BY id`,
      );
      // And then the accounts: that of every integration is among them.
      const accounts = await read<Account>(`SELECT ${accountColumns} FROM accounts ORDER BY id`);
      const extensions = await readExtensions();
      return {
        version,
        directory: {
          siteTokens,
          accounts: accounts.map(accountOf),
          integrations: integrations.map(integrationOf),
          extensions,
        },
      };
    },
    /**
     * Makes a new token of the whole service in place of the one with this counter; returns the new counter.
     * @throws ChangeRefused if another one has replaced it
     */
    async rotateSiteToken(which: keyof SiteTokens, replaces: number): Promise<number> {
      const column = `${which}_counter`;
      const [row] = await write<{ counter: number }>(
        `UPDATE directory SET ${column} = ${column} + 1, version = version + 1 WHERE ${column} = $1
         RETURNING ${column} AS counter`,
        replaces,
      );
      if (row === undefined) throw tokenReplaced();
      return row.counter;
    },
    /**
     * Makes a new administration token in place of the one with this counter (null: of whichever there is). Returns the
     * account with the new counter.
     * @throws ChangeRefused if another one has replaced it
     */
    async rotateAdminToken(id: number, replaces: number | null): Promise<Account> {
      const [account] = await write<Account>(
        `UPDATE accounts SET token_counter = token_counter + 1
         WHERE id = $1 AND token_counter = coalesce($2, token_counter) RETURNING ${accountColumns}`,
        ...[id, replaces],
      );
      if (account === undefined) throw tokenReplaced();
      return accountOf(account);
    },
    /**
     * Adds an account; callers check its name (see settings/account-names.ts).
     * @throws DirectoryChanged if the directory is not of the version `seen` any more
     */
    async addAccount(
      { uid, name, country }: Pick<Account, 'uid' | 'name' | 'country'>,
      seen: number | null = null,
    ): Promise<Account> {
      const [account] = await write<Account>(
        `INSERT INTO accounts (uid, name, country) SELECT $1, $2, $3 FROM directory
         WHERE version = coalesce($4, version) RETURNING ${accountColumns}`,
        ...[uid, name, country, seen],
      );
      if (account === undefined) throw new DirectoryChanged();
      return accountOf(account);
    },
    /** Gives an account a name, in the same way. */
    async renameAccount(id: number, name: string, seen: number | null = null): Promise<void> {
      const renamed = await write(
        `UPDATE accounts SET name = $2 WHERE id = $1
           AND EXISTS (SELECT 1 FROM directory WHERE version = coalesce($3, version)) RETURNING id`,
        ...[id, name, seen],
      );
      if (renamed.length === 0) throw new DirectoryChanged();
    },
    async changeAccount(id: number, change: AccountChange): Promise<void> {
      const {
        country,
        timeZone,
        crmUrl,
        agentsDelete = null,
        answerWithin = null,
        openingHours,
        requestsPerMinute,
        mostUsers,
      } = change;
      await write(
        `UPDATE accounts SET country = CASE WHEN $2 THEN $3 ELSE country END,
           time_zone = CASE WHEN $4 THEN $5 ELSE time_zone END,
           crm_url = CASE WHEN $6 THEN $7 ELSE crm_url END, agents_delete = coalesce($8, agents_delete),
           answer_within = coalesce($9, answer_within),
           opening_hours = CASE WHEN $10 THEN $11 ELSE opening_hours END,
           requests_per_minute = CASE WHEN $12 THEN $13 ELSE requests_per_minute END,
           most_users = CASE WHEN $14 THEN $15 ELSE most_users END WHERE id = $1`,
        ...[id, country !== undefined, country ?? null],
        ...[timeZone !== undefined, timeZone ?? null],
        ...[crmUrl !== undefined, crmUrl ?? null, agentsDelete, answerWithin],
        ...[openingHours !== undefined, openingHours ?? null],
        ...[requestsPerMinute !== undefined, requestsPerMinute ?? null],
        ...[mostUsers !== undefined, mostUsers ?? null],
      );
    },
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
      throw (await hasIntegration(account, name)) ? integrationNameTaken(name) : limitReached('integrations');
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
        if (name !== null && (await hasIntegration(account, name))) throw integrationNameTaken(name);
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
    /** Notes that the token before the present one was used. */
    async oldTokenUsed({ id, tokenCounter }: Integration, address: string, at: number): Promise<void> {
      await write(
        `INSERT INTO old_token_uses (integration_id, token_counter, address, last_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (integration_id, token_counter, address) DO UPDATE SET last_at = excluded.last_at`,
        ...[id, tokenCounter - 1, address, at],
      );
    },
    /** Addresses that have used the previous token since it was replaced, newest first, at most 20. */
    oldTokenUses: ({ id, tokenCounter }: Integration): Promise<OldTokenUse[]> =>
      read(
        `SELECT address, last_at AS "lastAt" FROM old_token_uses
         WHERE integration_id = $1 AND token_counter = $2 ORDER BY last_at DESC, address LIMIT 20`,
        ...[id, tokenCounter - 1],
      ),
    /** Stores the last report of an integration's bridge (JSON). */
    async saveBridgeReport(integration: number, at: number, report: string): Promise<void> {
      await write(
        `INSERT INTO bridge_health (integration_id, heard_at, report) VALUES ($1, $2, $3)
         ON CONFLICT (integration_id) DO UPDATE SET heard_at = excluded.heard_at, report = excluded.report`,
        ...[integration, at, report],
      );
    },
    /** Rewrites the reports (JSON) of an account's bridges; returns how many have changed. */
    async rewriteBridgeReports(account: number, rewritten: (report: string) => string): Promise<number> {
      const reports = await read<{ id: number; report: string }>(
        `SELECT h.integration_id AS id, h.report FROM bridge_health h
         JOIN integrations i ON i.id = h.integration_id WHERE i.account_id = $1 AND h.report IS NOT NULL`,
        account,
      );
      const changed = reports.filter(({ report }) => rewritten(report) !== report);
      for (const { id, report } of changed)
        await write('UPDATE bridge_health SET report = $2 WHERE integration_id = $1', id, rewritten(report));
      return changed.length;
    },
    /** That report. */
    async bridgeReport(integration: number): Promise<{ reportedAt: number; report: string } | undefined> {
      const [row] = await read<{ reportedAt: number; report: string }>(
        'SELECT heard_at AS "reportedAt", report FROM bridge_health WHERE integration_id = $1',
        integration,
      );
      return row;
    },
    /** All integrations that are switched on, with what their bridges last reported (JSON), and when. */
    fleetBridges: (): Promise<FleetBridgeRow[]> =>
      read(
        `SELECT i.id, i.uid, i.name, i.account_id AS account, h.heard_at AS "reportedAt", h.report,
           (SELECT max(u.last_at) FROM integration_use u WHERE u.integration_id = i.id AND u.quarter =
             (SELECT max(n.quarter) FROM integration_use n WHERE n.integration_id = i.id)) AS "lastAt"
         FROM integrations i LEFT JOIN bridge_health h ON h.integration_id = i.id
         WHERE i.enabled ORDER BY i.account_id, i.id`,
      ),
    /** What each account has, in the order in which they were added. */
    fleetAccounts: (): Promise<FleetAccountRow[]> =>
      read(
        `SELECT a.id, a.uid, a.name, a.most_users AS "mostUsers", a.requests_per_minute AS "requestsPerMinute",
           (SELECT count(*) FROM users u WHERE u.account_id = a.id) AS users,
           (SELECT count(*) FROM customers c WHERE c.account_id = a.id) AS customers
         FROM accounts a ORDER BY a.id`,
      ),
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
