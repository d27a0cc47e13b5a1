import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../process/test-clock.fixture.ts';
import { createGate, type GateOptions } from './request-limiter.ts';

/** A gate, and works that say when they begin and end when they are told to. */
function setUp(options: Partial<GateOptions> = {}) {
  const clock = createTestClock();
  const gate = createGate({ width: 1, patienceMs: 100, mostWaiting: 10, ...options }, clock);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, urgent = true) =>
    gate.run(urgent, async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.set(name, end));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  const settle = () => new Promise(setImmediate);
  return { clock, run, end, begun, settle };
}

test('no more at once than its width', async () => {
  const { run, end, begun, settle } = setUp({ width: 2 });
  const turns = ['a', 'b', 'c', 'd'].map((name) => run(name));
  await settle();
  assert.deepEqual(begun, ['a', 'b']);
  await end('b');
  assert.deepEqual(begun, ['a', 'b', 'c']);
  for (const name of ['a', 'c', 'd']) await end(name);
  assert.deepEqual(await Promise.all(turns.map(({ result }) => result)), ['a', 'b', 'c', 'd']);
});

test('what a caller waits for goes first, also when that becomes known later', async () => {
  const { run, end, begun, settle } = setUp();
  run('busy');
  run('ahead', false);
  const late = run('hurried', false);
  run('urgent');
  late.hurry();
  late.hurry();
  await settle();
  for (const name of ['busy', 'urgent', 'hurried', 'ahead']) await end(name);
  assert.deepEqual(begun, ['busy', 'urgent', 'hurried', 'ahead']);
});

test('what has waited too long is not done', async () => {
  const { clock, run, end, begun, settle } = setUp();
  run('busy');
  const old = run('old');
  clock.advance(60);
  const young = run('young');
  const ahead = run('hurried', false);
  clock.advance(41);
  ahead.hurry();
  await settle();
  for (const name of ['busy', 'young', 'hurried']) await end(name);
  assert.deepEqual(begun, ['busy', 'young', 'hurried']);
  assert.equal(await old.result, undefined);
  assert.equal(await young.result, 'young');
});

test('no more wait than may', async () => {
  const { run, end, begun, settle } = setUp({ mostWaiting: 2 });
  for (const name of ['a', 'b', 'c']) run(name);
  const refused = run('d');
  refused.hurry();
  run('ahead', false);
  await settle();
  assert.equal(await refused.result, undefined);
  for (const name of ['a', 'b', 'c', 'ahead']) await end(name);
  assert.deepEqual(begun, ['a', 'b', 'c', 'ahead']);
});

test('a work that fails makes room, and its failure is its own', async () => {
  const { run, begun, settle } = setUp();
  const gate = createGate({ width: 1, patienceMs: 1, mostWaiting: 1 }, createTestClock());
  const failing = gate.run(true, () => Promise.reject(new Error('no')));
  const next = gate.run(true, async () => 'next');
  await assert.rejects(failing.result, /no/);
  assert.equal(await next.result, 'next');
  run('a');
  await settle();
  assert.deepEqual(begun, ['a']);
});
