import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../shared/log/log.ts';
import { createTestClock } from '../../shared/process/test-clock.fixture.ts';
import type { PriorityAnswer } from './priority-answer.ts';
import { createPriorityLookup, type PriorityLookupOptions } from './priority-lookup.ts';
import type { LookupResult } from './read-priority.ts';

const number = '+4940669690101';
const gold: LookupResult = { status: 'FOUND', value: '10' };
const silver: LookupResult = { status: 'FOUND', value: '5' };
const notFound: LookupResult = { status: 'NOTFOUND' };
const broken: LookupResult = { status: 'ERROR', reason: 'HTTP 500' };
const error = { status: 'ERROR' };
const late = { status: 'TIMEOUT' };

/** A lookup whose API answers when the test says so. */
function setUp(options: Partial<PriorityLookupOptions> = {}) {
  const clock = createTestClock();
  const asked: { number: string; answer: (reading: LookupResult) => Promise<void> }[] = [];
  const said: string[] = [];
  const log: Log = { say: (code, fields) => void said.push(`${code} ${fields?.more}`), child: () => log };
  const whys: (string | undefined)[] = [];
  const created = createPriorityLookup(
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
          const answer = (reading: LookupResult) => {
            resolve(reading);
            return settle();
          };
          asked.push({ number: it, answer });
        }),
      clock,
      log,
    },
  );
  /** Without why, which goes to `whys`. */
  const bare = ({ why, ...answer }: PriorityAnswer): PriorityAnswer => {
    whys.push(why);
    return answer;
  };
  const lookup = {
    ...created,
    get(...args: Parameters<typeof created.get>) {
      const answer = created.get(...args);
      return answer instanceof Promise ? answer.then(bare) : bare(answer);
    },
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Asks, and lets the API answer if it is asked. */
  const askAnd = async (reading: LookupResult) => {
    const before = asked.length;
    const answer = lookup.get(number, 400);
    await settle();
    if (asked.length > before) await asked.at(-1)?.answer(reading);
    return answer;
  };
  return { clock, lookup, asked, said, whys, settle, askAnd };
}

test('a found priority is cached while it is fresh', async () => {
  const { clock, lookup, asked, askAnd } = setUp();
  assert.deepEqual(await askAnd(gold), gold);
  clock.advance(59_999);
  assert.deepEqual(lookup.get(number, 400), gold);
  assert.equal(asked.length, 1);
  clock.advance(1);
  assert.deepEqual(await askAnd(silver), silver);
  assert.equal(asked.length, 2);
});

test('"not found" is cached for a shorter time', async () => {
  const { clock, lookup, asked, askAnd } = setUp();
  assert.deepEqual(await askAnd(notFound), notFound);
  clock.advance(29_999);
  assert.deepEqual(lookup.get(number, 400), notFound);
  clock.advance(1);
  assert.deepEqual(await askAnd(gold), gold);
  assert.equal(asked.length, 2);
});

test('while the API fails, a stale priority is used, a stale "not found" is not', async () => {
  const { clock, askAnd } = setUp();
  await askAnd(gold);
  clock.advance(86_399_999);
  assert.deepEqual(await askAnd(broken), gold);
  clock.advance(1);
  assert.deepEqual(await askAnd(broken), error);
  await askAnd(notFound);
  clock.advance(30_000);
  assert.deepEqual(await askAnd(broken), error);
  assert.deepEqual(await askAnd({ status: 'TIMEOUT', reason: 'no answer in time' }), late);
});

test('a caller who is no longer found is removed from the cache', async () => {
  const { clock, askAnd } = setUp();
  await askAnd(gold);
  clock.advance(60_000);
  assert.deepEqual(await askAnd(notFound), notFound);
  clock.advance(30_000);
  assert.deepEqual(await askAnd(broken), error);
});

test('a lookup ends at its deadline with the stale priority, and the late answer is cached', async () => {
  const { clock, lookup, asked, settle } = setUp();
  const first = lookup.get(number, 400);
  await settle();
  clock.advance(400);
  assert.deepEqual(await first, late);
  await asked[0]?.answer(gold);
  assert.deepEqual(lookup.get(number, 400), gold);
  clock.advance(60_000);
  const second = lookup.get(number, 400);
  await settle();
  clock.advance(400);
  assert.deepEqual(await second, gold);
  assert.deepEqual(lookup.get('+49401', 0), late);
  assert.deepEqual(lookup.get(number, -1), gold);
  assert.equal(clock.timers(), 0);
});

test('equal lookups share one request, an answer in time ends every timer', async () => {
  const { clock, lookup, asked, settle } = setUp();
  lookup.prefetch(number);
  lookup.prefetch(number);
  const answers = [lookup.get(number, 400), lookup.get(number, 400)];
  await settle();
  assert.equal(asked.length, 1);
  await asked[0]?.answer(gold);
  assert.deepEqual(await Promise.all(answers), [gold, gold]);
  assert.equal(clock.timers(), 0);
});

test('prefetch fills the cache, skips cached numbers, and respects the concurrency limit', async () => {
  const { lookup, asked, settle } = setUp({ concurrency: 2 });
  for (let i = 0; i < 50; i += 1) lookup.prefetch(`+49${i}`);
  await settle();
  assert.equal(asked.length, 2);
  const urgent = lookup.get('+4949', 400);
  await asked[0]?.answer(gold);
  assert.equal(asked[2]?.number, '+4949', 'whom a caller waits for comes first');
  await asked[2]?.answer(silver);
  assert.deepEqual(await urgent, silver);
  assert.equal(asked.length, 4);
  assert.deepEqual(lookup.get('+490', 400), gold);
  lookup.prefetch('+490');
  await settle();
  assert.equal(asked.length, 4);
});

test('clear empties the cache, and results of running requests are not cached', async () => {
  const { lookup, asked, settle, askAnd } = setUp();
  await askAnd(gold);
  const other = '+49402';
  const before = lookup.get(other, 400);
  await settle();
  lookup.clear();
  const after = [lookup.get(number, 400), lookup.get(other, 400)];
  await settle();
  assert.deepEqual(
    asked.map((it) => it.number),
    [number, other, number, other],
  );
  await asked[1]?.answer(gold);
  assert.deepEqual(await before, gold);
  assert.ok(lookup.get(other, 400) instanceof Promise);
  await asked[2]?.answer(silver);
  await asked[3]?.answer(silver);
  assert.deepEqual(await Promise.all(after), [silver, silver]);
  assert.deepEqual(lookup.get(other, 400), silver);
});

test('a request that has waited too long is dropped', async () => {
  const { clock, lookup, asked, said, settle } = setUp({ concurrency: 1 });
  lookup.prefetch('1');
  const waiting = lookup.get('2', 400);
  await settle();
  clock.advance(501);
  assert.deepEqual(await waiting, late);
  await asked[0]?.answer(gold);
  assert.equal(asked.length, 1);
  assert.deepEqual(said, ['agi.lookup-late 0', 'agi.lookup-failed 0']);
});

test('an answer says where it comes from, how old it is, and why it is no better one', async () => {
  const { clock, lookup, whys, askAnd } = setUp();
  await askAnd({ ...gold, httpStatus: 200 });
  clock.advance(12_000);
  await askAnd(gold);
  clock.advance(3 * 3_600_000);
  await askAnd(broken);
  const slow = lookup.get(number, 400);
  clock.advance(400);
  await slow;
  await lookup.get('+49401', 0);
  lookup.clear();
  await askAnd(broken);
  assert.deepEqual(whys, [
    'from the API, HTTP 200',
    'from the cache, 12 s old, HTTP 200',
    'from the cache, 3 h old, HTTP 200, since the API fails: HTTP 500',
    'from the cache, 3 h old, HTTP 200, since the API fails: no answer within 400 ms',
    'no time left to ask the API',
    'HTTP 500',
  ]);
});
