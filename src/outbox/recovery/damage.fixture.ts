import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { eventsOf, keepingLog, newEvent, opened, resultOf, temporaryFolder } from '../outbox.fixture.ts';
import type { Outbox } from '../outbox.ts';
import { databasePath } from '../tables/database.ts';
import { pageSize } from './page.ts';

export const frameSize = pageSize + 24;
const calls = 400;
export const callIds = Array.from({ length: calls }, (_, i) => `call-${String(i).padStart(4, '0')}`);
export const events = calls * 2;

/** What a call's events are in the template: every fifth is a dead letter, every third delivered. */
export const fate = (i: number) => (i % 5 === 0 ? 'dead' : i % 3 === 0 ? 'delivered' : 'waiting');

/** An outbox with some of everything, half of it in the database and half in the WAL. */
export async function makeTemplate(t: TestContext): Promise<string> {
  const directory = temporaryFolder(t);
  for (const half of [0, 1]) {
    const outbox = await opened(t, { directory });
    for (let i = half * (calls / 2); i < (calls / 2) * (half + 1); i++) {
      const id = callIds[i] as string;
      const state = JSON.stringify({ id, long: i === 7 ? 'x'.repeat(9_000) : '' });
      const two = [newEvent(id, 'ringing', i), newEvent(id, 'completed', i)];
      const { nextEvents } = await outbox.append({
        calls: [{ id, state }],
        trunks: [{ endpoint: `PJSIP/${i % 4}`, source: 'heard', state: '{}' }],
        events: two,
      });
      const [first] = nextEvents;
      assert.ok(first);
      const outcome = fate(i);
      if (outcome === 'waiting') continue;
      const [next] = await outbox.record([resultOf(first.seq, id, { outcome })]);
      assert.ok(next);
      await outbox.record([resultOf(next.seq, id, { outcome })]);
    }
    // Copied while it is open: closing would empty the WAL.
    if (half === 1) {
      const copy = temporaryFolder(t);
      for (const suffix of ['', '-wal'])
        cpSync(databasePath(directory) + suffix, databasePath(copy) + suffix);
      await outbox.close();
      return copy;
    }
    await outbox.close();
  }
  throw new Error('unreachable');
}

type Found = {
  readonly outbox: Outbox;
  readonly log: ReturnType<typeof keepingLog>;
  readonly events: number;
};

/** Opens what is left in a folder, and checks that it is an outbox that works. */
export async function openedWhole(t: TestContext, directory: string): Promise<Found> {
  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  const counters = await outbox.counters();
  assert.equal(counters.queued, counters.delivered + counters.waiting + counters.dead);
  for (const { state } of (await outbox.load()).calls) JSON.parse(state);
  const found = eventsOf(directory, {}).filter(({ callId }) => callIds.includes(callId));
  return { outbox, log, events: found.length };
}

/** Delivers everything that waits, in the order of each call; returns how many. */
export async function drain(outbox: Outbox): Promise<number> {
  let total = 0;
  for (const priority of ['backlog', 'retry'] as const) {
    for (;;) {
      const query = { priority, now: 1e12, freshSince: 1e12, limit: 100, except: [] };
      const nextEvents = await outbox.due(query);
      if (nextEvents.length === 0) break;
      for (const { callId } of nextEvents) assert.equal(typeof callId, 'string');
      await outbox.record(nextEvents.map(({ seq, callId }) => resultOf(seq, callId)));
      total += nextEvents.length;
    }
  }
  return total;
}

export type Damage = (
  file: { db: Buffer; wal: Buffer },
  random: (below: number) => number,
) => Partial<typeof file>;

export const flipBits =
  (count: number, which: 'db' | 'wal'): Damage =>
  (file, random) => {
    const bytes = Buffer.from(file[which]);
    for (let i = 0; i < count; i++) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << random(8));
    }
    return { [which]: bytes };
  };

export const zeroPages =
  (count: number, which: 'db' | 'wal'): Damage =>
  (file, random) => {
    const bytes = Buffer.from(file[which]);
    for (let i = 0; i < count; i++) {
      const at = random(Math.floor(bytes.length / pageSize)) * pageSize;
      bytes.fill(0, at, at + pageSize);
    }
    return { [which]: bytes };
  };

export const truncate =
  (which: 'db' | 'wal'): Damage =>
  (file, random) => ({ [which]: file[which].subarray(0, random(file[which].length)) });

export const scribble =
  (which: 'db' | 'wal'): Damage =>
  (file, random) => {
    const bytes = Buffer.from(file[which]);
    const from = random(bytes.length);
    for (let at = from; at < Math.min(bytes.length, from + 5_000); at++) bytes[at] = random(256);
    return { [which]: bytes };
  };
