import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { CallStatus } from '../../api/contract/call-event.ts';
import { eventsOf, keepingLog, newEvent, opened, settled, temporaryFolder } from '../outbox.fixture.ts';
import type { Outbox } from '../outbox.ts';
import { databasePath } from '../tables/database.ts';
import { openStore } from '../worker/open-store.ts';
import { pageSize } from './page.ts';
import { unsavedMark, unsavedOf } from './quick-repair.ts';

const over = 300;
const open = 6;
const taken = over * 2 + open;

const overId = (i: number) => `over-${String(i).padStart(3, '0')}`;
const openId = (i: number) => `open-${i}`;

/**
 * A damaged outbox: calls that are over and not told yet, and open ones that ring, every second of which was told.
 * Some pages in the middle of the file are garbage; what was in them are events of calls that are over.
 */
async function damaged(t: TestContext): Promise<string> {
  const directory = temporaryFolder(t);
  const outbox = await opened(t, { directory });
  const text = 'x'.repeat(300);
  const take = async (id: string, statuses: CallStatus[], state: string | null) => {
    const events = statuses.map((status) => newEvent(id, status, 1, { text }));
    return outbox.append({ calls: [{ id, state }], trunks: ['PJSIP/1'], events });
  };
  for (let i = 0; i < open; i++) {
    const id = openId(i);
    const { heads } = await take(id, ['ringing'], JSON.stringify({ id }));
    if (i % 2 === 0) await outbox.settle([settled(heads[0]?.seq as number, id)]);
  }
  for (let i = 0; i < over; i++) await take(overId(i), ['ringing', 'completed'], null);
  await outbox.close();
  const path = databasePath(directory);
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.indexOf(`{"id":"${overId(150)}"`) / pageSize) * pageSize;
  bytes.fill(0x55, middle, middle + 2 * pageSize);
  writeFileSync(path, bytes);
  return directory;
}

/** Delivers all that waits, each head as it comes; gives what was told of each call, in order. */
async function told(outbox: Outbox): Promise<Map<string, CallStatus[]>> {
  const calls = new Map<string, CallStatus[]>();
  for (const lane of ['backlog', 'retry'] as const)
    for (;;) {
      const heads = await outbox.due({ lane, now: 1e12, freshSince: 1e12, limit: 50, except: [] });
      if (heads.length === 0) break;
      for (const { callId, status } of heads) calls.set(callId, [...(calls.get(callId) ?? []), status]);
      await outbox.settle(heads.map(({ seq, callId }) => settled(seq, callId)));
    }
  return calls;
}

test('quick repair: open calls go on at once, and nothing new of a call goes before what was', async (t) => {
  const directory = await damaged(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, quickFrom: 0 }, log);
  const { calls, trunks } = await outbox.load();
  assert.deepEqual(
    calls.map(({ id }) => id).sort(),
    Array.from({ length: open }, (_, i) => openId(i)),
  );
  assert.deepEqual(trunks, ['PJSIP/1']);
  for (let i = 0; i < open; i++) {
    const { heads } = await outbox.append({
      calls: [],
      trunks: [],
      events: [newEvent(openId(i), 'answered', 2)],
    });
    assert.equal(heads.length, i % 2 === 0 ? 1 : 0, `${openId(i)} must wait behind what rings`);
  }
  await log.seen('outbox.rescued');
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.set-aside', 'outbox.rescued'],
  );

  const [saved, lost] = [Number(log.lines[1]?.fields.saved), Number(log.lines[1]?.fields.lost)];
  assert.equal(saved + lost, taken);
  assert.ok(lost > 0 && lost < 60, `${lost} lost`);
  assert.deepEqual(await outbox.tally(), {
    ...{ taken: saved + open, delivered: open / 2, waiting: saved + open / 2, dead: 0 },
    lost,
  });
  const orders = await told(outbox);
  for (let i = 0; i < open; i++)
    assert.deepEqual(orders.get(openId(i)), i % 2 === 0 ? ['answered'] : ['ringing', 'answered']);
  const whole = [...orders.values()].filter((states) => states.join() === 'ringing,completed');
  assert.ok(whole.length >= over - lost, `${whole.length} calls whole`);
  assert.equal([...orders.values()].flat().length, saved + open / 2);
  assert.deepEqual(
    readdirSync(directory).filter((name) => /saved|part|new/.test(name)),
    [],
  );
});

test('quick repair: killed while the rest is saved, or before it is forgotten, the next start goes on', async (t) => {
  const directory = await damaged(t);
  const path = databasePath(directory);
  openStore(path, 1, keepingLog(), 0).db.close();
  const [aside = ''] = unsavedOf(path);
  assert.ok(existsSync(aside));
  const mark = readFileSync(unsavedMark(aside));

  const first = keepingLog();
  const outbox = await opened(t, { directory }, first);
  await first.seen('outbox.rescued');
  const tally = await outbox.tally();
  const events = eventsOf(directory, {});
  await outbox.close();
  assert.deepEqual(unsavedOf(path), []);

  writeFileSync(unsavedMark(aside), mark);
  const second = keepingLog();
  const again = await opened(t, { directory }, second);
  await second.seen('outbox.rescued');
  assert.deepEqual(await again.tally(), tally);
  assert.deepEqual(eventsOf(directory, {}), events);
});

test('quick repair: killed before the files changed places, the next start ends it and knows what is not saved', async (t) => {
  const directory = await damaged(t);
  const path = databasePath(directory);
  openStore(path, 1, keepingLog(), 0).db.close();
  const [aside = ''] = unsavedOf(path);
  renameSync(path, `${path}.new`);
  renameSync(aside, path);

  const log = keepingLog();
  const outbox = await opened(t, { directory }, log);
  await log.seen('outbox.rescued');
  assert.equal(log.lines[0]?.fields.aside, aside);
  const { taken: there, lost } = await outbox.tally();
  assert.equal(there + lost, taken);
});

test('quick repair: a mark without its file is none, and numbers that nobody knows are not given again', async (t) => {
  const directory = temporaryFolder(t);
  const path = databasePath(directory);
  writeFileSync(path, 'nothing that ever was a database');
  writeFileSync(unsavedMark(`${path}.damaged-20260101T000000000Z`), '');
  const log = keepingLog();
  await opened(t, { directory, quickFrom: 0 }, log);
  assert.deepEqual(
    log.lines.map(({ code }) => code),
    ['outbox.repaired'],
  );
  assert.deepEqual(unsavedOf(path), []);
});

test('quick repair: damage that shows while it works: the question is answered, and what was there comes back', async (t) => {
  const directory = temporaryFolder(t);
  const log = keepingLog();
  const outbox = await opened(t, { directory, quickFrom: 0 }, log);
  // More than SQLite keeps in memory, so that it must read the damage.
  const text = 'x'.repeat(1_500);
  const many = 12_000;
  for (let from = 0; from < many; from += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, i) => newEvent(`c${from + i}`, 'ringing', 1, { text }));
    await outbox.append({ calls: [], trunks: [], events });
  }
  const fd = openSync(databasePath(directory), 'r+');
  for (let page = 200; page < 240; page++)
    writeSync(fd, Buffer.alloc(pageSize, 0x55), 0, pageSize, page * pageSize);
  closeSync(fd);

  for (let seq = 1; !log.lines.some(({ code }) => code === 'outbox.set-aside'); seq += 100)
    await outbox.settle(Array.from({ length: 100 }, (_, i) => settled(seq + i, `c${seq + i - 1}`)));
  const { heads } = await outbox.append({ calls: [], trunks: [], events: [newEvent('new', 'ringing', 2)] });
  assert.equal(heads.length, 1, 'a new call goes on at once');
  await log.seen('outbox.rescued');
  const tally = await outbox.tally();
  assert.equal(tally.taken, tally.delivered + tally.waiting + tally.dead);
  assert.equal(tally.taken + tally.lost, many + 1);
  assert.ok(tally.lost > 0 && tally.lost < 500, `${tally.lost} lost`);
  assert.equal(eventsOf(directory, { callId: `c${many - 1}` }).length, 1);
});
