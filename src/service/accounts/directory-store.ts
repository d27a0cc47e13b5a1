import { isTimeZone } from '../rules/time-zone.ts';
import type { Statements } from '../store/statements.ts';

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

export const accountColumns = `id, uid, name, country, time_zone AS "timeZone", token_counter AS "tokenCounter",
  crm_url AS "crmUrl", agents_delete AS "agentsDelete", answer_within AS "answerWithin",
  opening_hours AS "openingHours", requests_per_minute AS "requestsPerMinute", most_users AS "mostUsers"`;
export const integrationColumns = `id, uid, account_id AS account, name, token_counter AS "tokenCounter",
  old_token_until AS "oldTokenUntil", enabled, created_at AS "createdAt"`;

export const integrationOf = (row: Integration): Integration => ({ ...row, enabled: Boolean(row.enabled) });
/** By the name of a zone, of which thousands of accounts have a few: whether it can be counted with. */
const zones = new Map<string, boolean>();
function isKnownZone(name: string): boolean {
  const is = zones.get(name) ?? isTimeZone(name);
  zones.set(name, is);
  return is;
}

/** A zone that nothing can count with, as 1.0.0 let in (JST), is none: an administrator is asked for one. */
export const accountOf = ({ timeZone, ...row }: Account): Account => ({
  ...row,
  timeZone: timeZone !== null && isKnownZone(timeZone) ? timeZone : null,
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

export function createDirectoryReader({ read, lookup, jsonRows }: Statements) {
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
  };
}
