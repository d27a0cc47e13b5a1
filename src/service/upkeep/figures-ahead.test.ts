import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noCalls } from '../reports/tally.ts';
import type { Account } from '../store/directory-store.ts';
import { countAhead } from './figures-ahead.ts';

const account = (id: number, timeZone: string): Account => ({
  ...{ id, timeZone, uid: `uid-${id}`, name: 'Bakery', country: 'DE', tokenCounter: 0 },
});
const at = (text: string) => Temporal.ZonedDateTime.from(text).epochMilliseconds;

test("each account's last 31 days are counted when one more is over, in its own zone, and once", async () => {
  const asked: { account: number; since: number; until: number; days: number }[] = [];
  let now = at('2026-11-20T12:00[Europe/Berlin]');
  let berlin = 'Europe/Berlin';
  const work = countAhead(
    {
      async *figures(account, spans, asOf) {
        assert.equal(asOf, now);
        const [since, until] = [spans[0]?.since as number, spans.at(-1)?.until as number];
        asked.push({ account, since, until, days: spans.length });
        for (const _ of spans) yield noCalls;
      },
    },
    () => [account(1, berlin), account(2, 'America/New_York')],
    () => now,
  );
  await work();
  await work();
  assert.deepEqual(
    asked.toSorted((a, b) => a.account - b.account),
    [
      {
        ...{ account: 1, days: 31 },
        since: at('2026-10-20T00:00[Europe/Berlin]'),
        until: at('2026-11-20T00:00[Europe/Berlin]'),
      },
      {
        ...{ account: 2, days: 31 },
        since: at('2026-10-20T00:00[America/New_York]'),
        until: at('2026-11-20T00:00[America/New_York]'),
      },
    ],
  );

  asked.length = 0;
  now = at('2026-11-21T00:59[Europe/Berlin]');
  await work();
  assert.deepEqual(asked, [], 'some of its calls may still go on');
  now = at('2026-11-21T01:00[Europe/Berlin]');
  await work();
  const friday = {
    since: at('2026-11-20T00:00[Europe/Berlin]'),
    until: at('2026-11-21T00:00[Europe/Berlin]'),
  };
  assert.deepEqual(asked, [{ account: 1, days: 1, ...friday }]);

  asked.length = 0;
  berlin = 'Asia/Kolkata';
  await work();
  assert.deepEqual(
    asked.map(({ account, days }) => [account, days]),
    [[1, 31]],
    'days of another zone are other days',
  );
});

test('an account whose days cannot be counted is told of, holds up no other, and is tried the next time', async () => {
  let fails = true;
  const counted: number[] = [];
  const work = countAhead(
    {
      async *figures(account) {
        if (fails && account === 2) throw new Error('the database is away');
        counted.push(account);
        yield noCalls;
      },
    },
    () => [1, 2, 3].map((id) => account(id, 'UTC')),
    () => at('2026-11-20T12:00[UTC]'),
  );
  await assert.rejects(work, /away/);
  assert.deepEqual(counted.toSorted(), [1, 3]);
  fails = false;
  await work();
  assert.deepEqual(counted.slice(2), [2]);
});
