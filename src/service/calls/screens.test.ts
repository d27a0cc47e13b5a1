import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Extensions } from '../accounts/account.ts';
import { talkedText } from './call-cells.ts';
import { noExtras } from './call-record.ts';
import { createScreens } from './screens.ts';

const ringing = {
  id: 'c',
  status: 'ringing',
  startedAt: 1_000,
  callerId: null,
  answeredAt: null,
  rang: null,
  extras: noExtras,
} as unknown as Parameters<ReturnType<typeof createScreens>['nowOf']>[1];

const people = Array.from({ length: 50 }, (_, n) => `${n + 10}`);

test('what one account reports of its calls leaves what is known of those of another', () => {
  const screens = createScreens();
  const now = (account: number) => screens.nowOf(account, ringing).rings?.map(({ by }) => by);
  screens.who(1, [{ id: 'c', rings: ['101'], talks: [] }], 1_000);
  for (let n = 0; n < 30_000; n += 1)
    screens.who(2, [{ id: n === 0 ? 'c' : `none-${n}`, rings: ['201'], talks: [] }], 1_000);
  assert.deepEqual([now(1), now(2)], [['101'], undefined]);
  screens.forget(1);
  assert.equal(now(1), undefined);
});

test('a report becomes no frame that is much longer than itself', () => {
  const names: Extensions = new Map(
    people.map((extension) => [
      extension,
      { account: 1, extension, name: '名'.repeat(80), user: null, userName: null },
    ]),
  );
  const screens = createScreens(() => names);
  const frames: string[] = [];
  screens.subscribe({ account: 1, user: {} }, (frame) => frames.push(frame));
  const calls = Array.from({ length: 100 }, (_, n) => ({ id: `c-${n}`, rings: people, talks: people }));
  screens.who(1, calls, 1_000);
  const [length, sent] = [frames, [JSON.stringify(calls)]].map((texts) => Buffer.byteLength(texts.join('')));
  assert.ok((length ?? 0) > (sent ?? 0) && (length ?? 0) < 8 * (sent ?? 0), `${length} of ${sent} bytes`);
});

test('who talked beside anybody who still talked did not follow', () => {
  const text = (...talked: { by: string; from: number; to?: number }[]) =>
    talkedText({ talked }, new Map(), ', then ');
  const [first, second] = [
    { by: 'X', from: 0, to: 60_000 },
    { by: 'Ben', from: 1_000, to: 2_000 },
  ];
  assert.equal(text(first, second, { by: 'Carl', from: 10_000 }), 'X 1:00, Ben 0:01, Carl');
  assert.equal(text(second, { by: 'Carl', from: 2_000 }), 'Ben 0:01, then Carl');
});

test('after a restart it is unknown at which phones a call rings, until it is told again', () => {
  const call = { ...ringing, rang: [] };
  assert.deepEqual(createScreens(undefined, 1_000).nowOf(1, call), { rings: [], talks: [] });
  const screens = createScreens(undefined, 1_001);
  assert.deepEqual(screens.nowOf(1, call), {}, 'it may be anybody’s');
  screens.who(1, [{ id: 'c', rings: ['101'], talks: [] }], 1_002);
  assert.deepEqual(screens.nowOf(1, call).rings, [{ by: '101', name: '101' }]);
});
