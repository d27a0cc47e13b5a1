import { given, type Statements } from '../store/statements.ts';
import type { Account } from './account.ts';
import { accountColumns, accountOf } from './directory-reader.ts';
import { tokenReplaced } from './limits.ts';

/** A new name is `renameAccount`, a new token `rotateAdminToken`. */
export type AccountChange = Partial<
  Omit<Account, 'id' | 'uid' | 'name' | 'tokenCounter' | 'phoneBookCounter'>
>;

/** Another change of the directory came first: read it again. */
export class DirectoryChanged extends Error {}

const changeSql = `UPDATE accounts SET country = CASE WHEN $2 THEN $3 ELSE country END,
  time_zone = CASE WHEN $4 THEN $5 ELSE time_zone END,
  crm_url = CASE WHEN $6 THEN $7 ELSE crm_url END, agents_delete = coalesce($8, agents_delete),
  answer_within = coalesce($9, answer_within),
  opening_hours = CASE WHEN $10 THEN $11 ELSE opening_hours END,
  requests_per_minute = CASE WHEN $12 THEN $13 ELSE requests_per_minute END,
  most_users = CASE WHEN $14 THEN $15 ELSE most_users END,
  numbers_kept_days = CASE WHEN $16 THEN $17 ELSE numbers_kept_days END WHERE id = $1`;

export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore({ write }: Pick<Statements, 'write'>) {
  return {
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
     * Makes a new token of the phone book in place of the one with this counter, or, if it is not to be on, none.
     * @throws ChangeRefused if another one has replaced it
     */
    async replacePhoneBookToken(id: number, replaces: number, isOn: boolean): Promise<void> {
      const counter = isOn ? Math.abs(replaces) + 1 : -Math.abs(replaces);
      const replaced = await write(
        'UPDATE accounts SET phone_book_counter = $3 WHERE id = $1 AND phone_book_counter = $2 RETURNING id',
        ...[id, replaces, counter],
      );
      if (replaced.length === 0) throw tokenReplaced();
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
    /** Replaces the opening hours that were read. False if somebody else has changed them. */
    async replaceOpeningHours(
      id: number,
      before: Account['openingHours'],
      after: Account['openingHours'],
    ): Promise<boolean> {
      const replaced = await write(
        `UPDATE accounts SET opening_hours = $3
         WHERE id = $1 AND coalesce(opening_hours, '') = $2 RETURNING id`,
        ...[id, before ?? '', after],
      );
      return replaced.length > 0;
    },
    async changeAccount(id: number, change: AccountChange): Promise<void> {
      const { country, timeZone, crmUrl, agentsDelete = null, answerWithin = null } = change;
      const { openingHours, requestsPerMinute, mostUsers, numbersKeptDays } = change;
      await write(
        changeSql,
        id,
        ...given(country),
        ...given(timeZone),
        ...given(crmUrl),
        agentsDelete,
        answerWithin,
        ...given(openingHours),
        ...given(requestsPerMinute),
        ...given(mostUsers),
        ...given(numbersKeptDays),
      );
    },
  };
}
