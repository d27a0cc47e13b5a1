import type { Statements } from '../store/statements.ts';
import type { SiteTokens } from './account.ts';
import { tokenReplaced } from './limits.ts';

export const createSiteTokenStore = ({ write }: Pick<Statements, 'write'>) => ({
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
});
