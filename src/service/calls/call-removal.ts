import { nationalDigits } from '../../shared/phone-number/written-number.ts';
import { hasId, inSteps, keysOf, type Statements } from '../store/statements.ts';
import type { callReader } from './call-reader.ts';
import { FORGOTTEN } from './call-record.ts';
import { whoFields, whoOfFields } from './call-rows.ts';

/** More than an office has extensions and numbers. */
const ALL = 1_000_000;

/** Calls that are changed in one statement. */
const CHUNK = 500;

/** What removes calls, or a caller from them. */
export function callRemoval(
  statements: Statements,
  { distinct }: Pick<ReturnType<typeof callReader>, 'distinct'>,
) {
  const { read, write, contains, along } = statements;
  return {
    /**
     * Removes a number from all of its calls, and from those that it answered, that called it, or whose trunk or place it
     * names; returns how many, and in the ids of how many it still stands.
     */
    async forget(
      account: number,
      number: string,
      without: (text: string) => string,
    ): Promise<{ calls: number; callIds: number }> {
      const change = (set: string, column: string, value: string) => {
        const sql = `UPDATE calls SET ${set}
          WHERE id IN (SELECT id FROM calls WHERE account_id = $1 AND ${column} = $2 LIMIT ${CHUNK}) RETURNING id`;
        return inSteps(CHUNK, () => write(sql, account, value, FORGOTTEN));
      };
      let calls = await change('from_number = $3, number = $3', 'number', number);
      if (!number.startsWith('+')) return { calls, callIds: 0 }; // an extension of the office itself
      for (const [what, column] of [
        ['extensions', 'caller_id'],
        ['numbers called', 'number_called'],
      ] as const)
        for (const text of await distinct(account, what, ALL)) {
          if (without(text) === text) continue;
          calls += await change(`${column} = $3`, column, text);
          // They have the names of extensions, and the numbers called.
          await write('DELETE FROM kept_figures WHERE account_id = $1', account);
        }
      calls += await forgetPlaces(statements, account, without);
      const [found] = await read<{ count: number }>(
        `SELECT count(*) AS count FROM calls WHERE account_id = $1 AND ${contains('call_id', '$2')}`,
        ...[account, nationalDigits(number)],
      );
      return { calls, callIds: found?.count ?? 0 };
    },

    /**
     * Removes the callers from calls that are over and began before `before` (Unix ms), and deletes what was done about callers, and
     * noted, until then. The calls keep the segments, so that no figure changes. Returns how many calls.
     */
    async dropNumbers(account: number, before: number): Promise<number> {
      const next = `SELECT id, started_at AS at, number, status FROM calls c ${along('calls_by_time')}
        WHERE account_id = $1 AND (started_at, id) > ($2, $3) AND started_at < $4 ORDER BY started_at, id LIMIT ${CHUNK}`;
      const drop = `UPDATE calls SET from_number = $2, number = $2,
          segment_id = (SELECT k.segment_id FROM customer_numbers n JOIN customers k ON k.id = n.customer_id
            WHERE n.account_id = calls.account_id AND n.number = calls.number)
        WHERE account_id = $1 AND number <> $2 AND ${hasId(3)} RETURNING id`;
      let dropped = 0;
      for (let after = { at: -1, id: 0 }, rows = CHUNK; rows === CHUNK; ) {
        const calls = await read<{ id: number; at: number; number: string; status: string }>(
          next,
          ...[account, after.at, after.id, before],
        );
        const named = calls.filter(({ number, status }) => number !== FORGOTTEN && status === 'completed');
        if (named.length > 0)
          dropped += (await write(drop, account, FORGOTTEN, keysOf(named.map(({ id }) => id)))).length;
        rows = calls.length;
        after = calls.at(-1) ?? after;
      }
      // A call back that is promised for later stays.
      const actions = `DELETE FROM caller_actions WHERE id IN (SELECT id FROM caller_actions
        WHERE account_id = $1 AND at < $2 AND coalesce(due, 0) < $2 LIMIT ${CHUNK}) RETURNING id`;
      await inSteps(CHUNK, () => write(actions, account, before));
      return dropped;
    },

    /** Deletes the calls that began before `before` (Unix ms), with the figures of their days; returns how many. */
    async trim(before: number): Promise<number> {
      const accounts = await read<{ id: number }>('SELECT id FROM accounts');
      let deleted = 0;
      for (const { id } of accounts) {
        const sql = `DELETE FROM calls WHERE id IN
          (SELECT id FROM calls WHERE account_id = $1 AND started_at < $2 ORDER BY started_at LIMIT ${CHUNK}) RETURNING id`;
        const calls = await inSteps(CHUNK, () => write(sql, id, before));
        const figures = 'DELETE FROM kept_figures WHERE account_id = $1 AND since < $2';
        if (calls > 0) await write(figures, id, before);
        await write('DELETE FROM caller_actions WHERE account_id = $1 AND at < $2', id, before);
        deleted += calls;
      }
      return deleted;
    },
  };
}

/**
 * Removes a number from the trunks of calls, from the queues and mailboxes where they were missed, and from those who rang and
 * talked, such as mobiles; returns how many.
 */
async function forgetPlaces(
  { read, write, along }: Pick<Statements, 'read' | 'write' | 'along'>,
  account: number,
  without: (text: string) => string,
): Promise<number> {
  const sql = `SELECT id, started_at AS at, line, missed_name AS name, rang, talked FROM calls c ${along('calls_by_time')}
    WHERE account_id = $1 AND (started_at, id) > ($2, $3) ORDER BY started_at, id LIMIT ${CHUNK}`;
  const cleared = (text: string | null) => text && without(text);
  let changed = 0;
  for (let after = { at: -1, id: 0 }, rows = CHUNK; rows === CHUNK; ) {
    const calls = await read<PlaceRow>(sql, ...[account, after.at, after.id]);
    for (const row of calls) {
      const { id, line, name } = row;
      const who = whoOfFields(row);
      const [rang, talked] = [whoWithout(who.rang, without), whoWithout(who.talked, without)];
      const isSame = rang === who.rang && talked === who.talked;
      if (cleared(line) === line && cleared(name) === name && isSame) continue;
      const update = 'UPDATE calls SET line = $2, missed_name = $3, rang = $4, talked = $5 WHERE id = $1';
      const left = whoFields({ rang, talked });
      await write(update, id, cleared(line), cleared(name), left.rang, left.talked);
      changed += 1;
      // They have who rang and talked.
      if (!isSame) await write('DELETE FROM kept_figures WHERE account_id = $1', account);
    }
    rows = calls.length;
    after = calls.at(-1) ?? after;
  }
  return changed;
}

type PlaceRow = {
  readonly id: number;
  readonly at: number;
  readonly line: string | null;
  readonly name: string | null;
  readonly rang: string | null;
  readonly talked: string | null;
};

/** The same if none of them is the number. */
function whoWithout<Person extends { readonly by: string }>(
  people: readonly Person[] | null,
  without: (text: string) => string,
): readonly Person[] | null {
  return people?.some(({ by }) => without(by) !== by)
    ? people.map((person) => ({ ...person, by: without(person.by) }))
    : people;
}
