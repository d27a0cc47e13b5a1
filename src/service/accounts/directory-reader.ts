import { isTimeZone } from '../rules/time-zone.ts';
import type { Statements } from '../store/statements.ts';
import type { Account, Directory, Extensions, Integration, SiteTokens } from './account.ts';

export const accountColumns = `id, uid, name, country, time_zone AS "timeZone", token_counter AS "tokenCounter",
  crm_url AS "crmUrl", agents_delete AS "agentsDelete", answer_within AS "answerWithin",
  opening_hours AS "openingHours", requests_per_minute AS "requestsPerMinute", most_users AS "mostUsers",
  phone_book_counter AS "phoneBookCounter", numbers_kept_days AS "numbersKeptDays"`;
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

/** A zone without rules for its clocks (JST), which 1.0.0 accepted, counts as absent: an administrator is asked for one. */
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
