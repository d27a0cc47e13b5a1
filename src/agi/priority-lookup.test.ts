import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../log/log.ts';
import { createTestClock } from '../process/test-clock.fixture.ts';
import { createPriorityLookup, type PriorityLookupOptions } from './priority-lookup.ts';
import type { Reading } from './read-priority.ts';

const number = '+4940669690101';
const gold: Reading = { status: 'FOUND', value: '10' };
const silver: Reading = { status: 'FOUND', value: '5' };
const nobody: Reading = { status: 'NOTFOUND' };
const broken: Reading = { status: 'ERROR', reason: 'HTTP 500' };
const error = { status: 'ERROR' };
const late = { status: 'TIMEOUT' };

/** A lookup whose API answers when the test says so. */
function setUp(options: Partial<PriorityLookupOptions> = {}) {
  const clock = createTestClock();
  const asked: { number: string; answer: (reading: Reading) => Promise<void> }[] = [];
  const said: string[] = [];
  const log: Log = { say: (code, fields) => void said.push(`${code} ${fields?.more}`), child: () => log };
  const lookup = createPriorityLookup(
    {
      concurrency: 4,
      maxWaitMs: 500,
      freshMs: 60_000,
      staleMs: 86_400_000,
      notFoundMs: 30_000,
      entries: 100,
      ...options,
    },
    {
      request: (it) =>
        new Promise((resolve) => {
          const answer = (reading: Reading) => {
            resolve(reading);
            return settle();
          };
          asked.push({ number: it, answer });
        }),
      clock,
      log,
    },
  );
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Asks, and lets the API answer if it is asked. */
  const askAnd = async (reading: Reading) => {
    const before = asked.length;
    const answer = lookup.ask(number, 400);
    await settle();
    if (asked.length > before) await asked.at(-1)?.answer(reading);
    return answer;
  };
  return { clock, lookup, asked, said, settle, askAnd };
}

test('what was found counts for as long as it is fresh, and is given at once', async () => {
  const { clock, lookup, asked, askAnd } = setUp();
  assert.deepEqual(await askAnd(gold), gold);
  clock.advance(59_999);
  assert.deepEqual(lookup.ask(number, 400), gold);
  assert.equal(asked.length, 1);
  clock.advance(1);
  assert.deepEqual(await askAnd(silver), silver);
  assert.equal(asked.length, 2);
});

test('what was not found counts for less long', async () => {
  const { clock, lookup, asked, askAnd } = setUp();
  assert.deepEqual(await askAnd(nobody), nobody);
  clock.advance(29_999);
  assert.deepEqual(lookup.ask(number, 400), nobody);
  clock.advance(1);
  assert.deepEqual(await askAnd(gold), gold);
  assert.equal(asked.length, 2);
});

test('while the API fails, what was found lives on, and what was not found does not', async () => {
  const { clock, askAnd } = setUp();
  await askAnd(gold);
  clock.advance(86_399_999);
  assert.deepEqual(await askAnd(broken), gold);
  clock.advance(1);
  assert.deepEqual(await askAnd(broken), error);
  await askAnd(nobody);
  clock.advance(30_000);
  assert.deepEqual(await askAnd(broken), error);
  assert.deepEqual(await askAnd({ status: 'TIMEOUT', reason: 'no answer in time' }), late);
});

test('a failure is not remembered', async () => {
  const { asked, askAnd } = setUp();
  assert.deepEqual(await askAnd(broken), error);
  assert.deepEqual(await askAnd(gold), gold);
  assert.equal(asked.length, 2);
});

test('who is no customer any more is not one out of the cache', async () => {
  const { clock, askAnd } = setUp();
  await askAnd(gold);
  clock.advance(60_000);
  assert.deepEqual(await askAnd(nobody), nobody);
  clock.advance(30_000);
  assert.deepEqual(await askAnd(broken), error);
});

test('nobody waits longer than told; what was known counts then, and the late answer is kept', async () => {
  const { clock, lookup, asked, settle } = setUp();
  const first = lookup.ask(number, 400);
  await settle();
  clock.advance(400);
  assert.deepEqual(await first, late);
  await asked[0]?.answer(gold);
  assert.deepEqual(lookup.ask(number, 400), gold);
  clock.advance(60_000);
  const second = lookup.ask(number, 400);
  await settle();
  clock.advance(400);
  assert.deepEqual(await second, gold);
  assert.deepEqual(lookup.ask('+49401', 0), late);
  assert.deepEqual(lookup.ask(number, -1), gold);
  assert.equal(clock.timers(), 0);
});

test('equal lookups share one request, an answer in time ends every timer', async () => {
  const { clock, lookup, asked, settle } = setUp();
  lookup.expect(number);
  lookup.expect(number);
  const answers = [lookup.ask(number, 400), lookup.ask(number, 400)];
  await settle();
  assert.equal(asked.length, 1);
  await asked[0]?.answer(gold);
  assert.deepEqual(await Promise.all(answers), [gold, gold]);
  assert.equal(clock.timers(), 0);
});

test('asking ahead warms the cache, asks for nothing that is known, and never in numbers', async () => {
  const { lookup, asked, settle } = setUp({ concurrency: 2 });
  for (let i = 0; i < 50; i += 1) lookup.expect(`+49${i}`);
  await settle();
  assert.equal(asked.length, 2);
  const urgent = lookup.ask('+4949', 400);
  await asked[0]?.answer(gold);
  assert.equal(asked[2]?.number, '+4949', 'whom a caller waits for comes first');
  await asked[2]?.answer(silver);
  assert.deepEqual(await urgent, silver);
  assert.equal(asked.length, 4);
  assert.deepEqual(lookup.ask('+490', 400), gold);
  lookup.expect('+490');
  await settle();
  assert.equal(asked.length, 4);
});

test('only so many numbers are remembered', async () => {
  const { lookup, asked, settle } = setUp({ entries: 2 });
  for (const it of ['1', '2', '3']) {
    lookup.expect(it);
    await settle();
    await asked.at(-1)?.answer(gold);
  }
  assert.deepEqual(lookup.ask('3', 400), gold);
  assert.deepEqual(lookup.ask('2', 400), gold);
  assert.ok(lookup.ask('1', 400) instanceof Promise);
});

test('another account: nothing is remembered, and what is under way is not either', async () => {
  const { lookup, asked, settle, askAnd } = setUp();
  await askAnd(gold);
  const other = '+49402';
  const before = lookup.ask(other, 400);
  await settle();
  lookup.clear();
  const after = [lookup.ask(number, 400), lookup.ask(other, 400)];
  await settle();
  assert.deepEqual(
    asked.map((it) => it.number),
    [number, other, number, other],
  );
  await asked[1]?.answer(gold);
  assert.deepEqual(await before, gold);
  assert.ok(lookup.ask(other, 400) instanceof Promise);
  await asked[2]?.answer(silver);
  await asked[3]?.answer(silver);
  assert.deepEqual(await Promise.all(after), [silver, silver]);
  assert.deepEqual(lookup.ask(other, 400), silver);
});

test('a request that would come too late for everybody is not made', async () => {
  const { clock, lookup, asked, said, settle } = setUp({ concurrency: 1 });
  lookup.expect('1');
  const waiting = lookup.ask('2', 400);
  await settle();
  clock.advance(501);
  assert.deepEqual(await waiting, late);
  await asked[0]?.answer(gold);
  assert.equal(asked.length, 1);
  assert.deepEqual(said, ['agi.lookup-late 0', 'agi.lookup-failed 0']);
});

test('trouble is said once a minute, with how often it was not', async () => {
  const { clock, said, askAnd } = setUp();
  for (let i = 0; i < 5; i += 1) await askAnd(broken);
  assert.deepEqual(said, ['agi.lookup-failed 0']);
  clock.advance(60_000);
  await askAnd(broken);
  clock.advance(60_000);
  await askAnd(broken);
  assert.deepEqual(said, ['agi.lookup-failed 0', 'agi.lookup-failed 4', 'agi.lookup-failed 0']);
});
