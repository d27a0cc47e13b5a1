import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phoneSystems, sameTimeBefore } from './phone-systems.ts';

const at = (text: string) => Date.parse(text);
const minute = 60_000;

test('the same time of the weeks before is that of the clock on the wall, in whole quarters', () => {
  const texts = sameTimeBefore(
    { since: at('2026-11-02T09:50Z'), until: at('2026-11-02T10:40Z') }, // 11:40 in Berlin, after the change of the clocks
    'Europe/Berlin',
  ).map(({ since, until }) => [since, until].map((ms) => new Date(ms).toISOString().slice(5, 16)));
  assert.deepEqual(texts, [
    ['10-26T10:00', '10-26T10:30'],
    ['10-19T09:00', '10-19T09:30'],
    ['10-12T09:00', '10-12T09:30'],
    ['10-05T09:00', '10-05T09:30'],
  ]);
  const until = at('2026-11-02T10:00Z');
  assert.deepEqual(sameTimeBefore({ since: until - 29 * minute, until }, 'UTC'), [], 'too short');
  const [night] = sameTimeBefore({ since: until - 900 * minute, until }, 'UTC');
  assert.equal((night?.until ?? 0) - (night?.since ?? 0), 120 * minute, 'of a night, the last two hours');
});

test('a silence is unusual if there were requests at that time in three of the last four weeks', async () => {
  const integration = { uid: '', account: 1, tokenCounter: 1, oldTokenUntil: null, createdAt: 0 };
  const integrations = [
    { ...integration, id: 1, name: 'Headquarters', enabled: true },
    { ...integration, id: 2, name: 'Shop', enabled: true },
    { ...integration, id: 3, name: 'Old', enabled: false },
    { ...integration, id: 4, name: 'New', enabled: true },
  ];
  const now = at('2026-11-02T10:00Z');
  const state = (counts: number[], lastAt = now - 45 * minute) =>
    phoneSystems(
      integrations,
      {
        use: async () => [1, 2].map((id) => ({ integration: id, lastAt, requests: 0 })),
        usedIn: async (id) => (id === 1 ? counts : [0, 0, 0, 0]),
      },
      { account: 1, timeZone: 'UTC', now },
    );
  assert.deepEqual(
    (await state([40, 0, 5, 9])).map(({ name, lastAt, unusual }) => [name, lastAt !== null, unusual]),
    [
      ['Headquarters', true, true],
      ['Shop', true, false],
      ['New', false, false],
    ],
  );
  assert.equal((await state([40, 0, 4, 9]))[0]?.unusual, false, 'a quiet time');
  assert.equal((await state([40, 40, 40, 40], now - 20 * minute))[0]?.unusual, false, 'not for long yet');
});
