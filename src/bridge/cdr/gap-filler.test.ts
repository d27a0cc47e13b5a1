import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '../../../test/tools/until.ts';
import { resultOf } from '../outbox/outbox.fixture.ts';
import type { RecordSource } from './cdr-source.ts';
import { usualRecords } from './cdr-source.ts';
import { line, lostCalls, now, rules, scene } from './gap-filler.fixture.ts';

test('calls before the first start are never reported, later ones are, and a restart continues', async (t) => {
  const { write, start, reportedOf, codes, nextEvents, clock } = await scene(t);
  clock.now += 400;
  const sameSecond = line(2, { began: 1_800_000_100 });
  write(line(1) + sameSecond.slice(0, 40));
  const first = await start();
  await first.stop();
  write(sameSecond.slice(40) + line(3, { began: 1_800_000_099 }));
  const second = await start();
  write(line(4, { by: 'PJSIP/1001-00000009' }));
  await second.reads(3);
  assert.deepEqual(await reportedOf('1800000101.1'), []);
  assert.deepEqual(await reportedOf('1800000099.3'), []);
  const call = (uniqueid: string) => ({ id: `pbx-${uniqueid}`, direction: 'inbound', from: '+494066969100' });
  assert.deepEqual(await reportedOf('1800000100.2'), [
    { ...call('1800000100.2'), status: 'ringing' },
    { ...call('1800000100.2'), status: 'completed' },
  ]);
  assert.deepEqual(await reportedOf('1800000101.4'), [
    { ...call('1800000101.4'), status: 'ringing' },
    { ...call('1800000101.4'), status: 'answered', caller_id: '1001' },
    { ...call('1800000101.4'), status: 'completed', caller_id: '1001' },
  ]);
  assert.deepEqual(nextEvents, ['pbx-1800000100.2 ringing', 'pbx-1800000101.4 ringing']);
  assert.deepEqual(codes(), [
    'cdr.from-now',
    'cdr.going-on',
    'cdr.call-reported',
    'cdr.call-reported',
    'cdr.filled',
  ]);
});

test('a call that was reported in part is completed, and one that was reported is skipped', async (t) => {
  const { write, start, reportedOf, outbox, log } = await scene(t);
  const filler = await start();
  const event = (id: string, status: 'ringing' | 'completed') => ({
    callId: `pbx-1800000101.${id}`,
    status,
    body: JSON.stringify({ status }),
    queuedAt: now,
  });
  await outbox.append({
    calls: [],
    trunks: [],
    events: [event('1', 'ringing'), event('2', 'ringing'), event('2', 'completed')],
  });
  write(line(1, { by: 'PJSIP/1001-00000009' }) + line(2) + line(3, { src: 'anonymous' }));
  await filler.reads(3);
  const statuses = async (id: string) => (await reportedOf(`1800000101.${id}`)).map(({ status }) => status);
  assert.deepEqual(await statuses('1'), ['ringing', 'answered', 'completed']);
  assert.deepEqual(await statuses('2'), ['ringing', 'completed']);
  assert.deepEqual(await statuses('3'), []);
  const ledger = await outbox.ledgerEntries(['pbx-1800000101.3']);
  assert.match(ledger.get('pbx-1800000101.3')?.unreported ?? '', /WITHHELD_NUMBER/, 'why is kept');
  const { fields } = log.lines.find(({ code }) => code === 'cdr.filled') ?? {};
  assert.deepEqual(fields, { reported: 1, ended: 0, unrecorded: 0, notReported: 1, known: 1, old: 0 });
});

test('a call that is gone waits for its record while the records cannot be read, for an hour', async (t) => {
  const { write, start, path, clock } = await scene(t);
  const { live, ended, answered } = lostCalls();
  const filler = await start(live);
  await filler.reads(20);
  assert.deepEqual(ended, []);
  write(line(1, { by: 'PJSIP/1001-00000009' }));
  await filler.reads(3);
  assert.deepEqual(ended, [answered]);

  rmSync(path);
  const second = lostCalls();
  const other = await start(second.live);
  await other.reads(20);
  assert.deepEqual(second.ended, []);
  clock.now += 3_600_000;
  await other.reads(7);
  assert.deepEqual(second.ended, []);
  clock.now += 1;
  await other.reads(7);
  assert.deepEqual(second.ended, [{ uniqueid: '1800000101.1' }]);
});

test('a call that is gone is not given up while its record, which came at the last moment, waits to be decided', async (t) => {
  for (let readsBefore = 0; readsBefore < 20; readsBefore += 1) {
    const { write, start } = await scene(t);
    const { live, ended, answered } = lostCalls();
    write('');
    const filler = await start(live);
    await filler.reads(readsBefore);
    if (ended.length > 0) {
      assert.ok(readsBefore > 3, 'it waits');
      return;
    }
    write(line(1, { by: 'PJSIP/1001-00000009' }));
    await filler.reads(4);
    assert.deepEqual(ended, [answered], `after ${readsBefore} reads`);
  }
  assert.fail('it is never given up');
});

test('a read says whether there is more, so that a long file does not wait for the next one each time', async (t) => {
  const { write, start } = await scene(t);
  write('');
  const filler = await start();
  await filler.reads(1);
  write(Array.from({ length: 4_000 }, (_, nth) => line(nth)).join(''));
  assert.equal(await filler.read(), true);
  await filler.reads(1);
  assert.equal(await filler.read(), false);
});

test('what is not a record, or has no uniqueid, is logged once and skipped', async (t) => {
  const { write, start, reportedOf, codes } = await scene(t);
  const filler = await start();
  const stray = line(1, { uniqueid: '' });
  write('oops\noops\n');
  await filler.reads(1);
  assert.deepEqual(codes().slice(-1), ['cdr.bad-line']);
  write(`${stray}${stray}${line(2)}`);
  await filler.reads(3);
  assert.equal((await reportedOf('1800000101.2')).length, 2);
  assert.equal(codes().filter((code) => code === 'cdr.bad-line').length, 1);
  assert.equal(codes().filter((code) => code === 'cdr.no-uniqueid').length, 1);
});

test('a read that is under way when the filler stops is its last', async (t) => {
  const { start } = await scene(t);
  const timers = t.mock.method(globalThis, 'setTimeout');
  const everyMs = 2 ** 30;
  const filler = await start({}, { everyMs });
  await filler.stop();
  await setImmediate();
  assert.deepEqual(
    timers.mock.calls.filter((call) => call.arguments[1] === everyMs),
    [],
  );
});

test('what does not fit into one read is read at once, not with the next interval', async (t) => {
  const { write, start, csv } = await scene(t);
  write('');
  let left = 3;
  const read: typeof csv.read = async (from, how) => ({ ...(await csv.read(from, how)), atEnd: --left <= 0 });
  await start({}, { source: { read } });
  await until('all that is there to be read', () => left <= 0);
});

test('a file that cannot be read is logged once, and nothing is skipped', async (t) => {
  const { write, start, reportedOf, codes, path } = await scene(t);
  const filler = await start();
  await filler.reads(3);
  write(line(1));
  await filler.reads(3);
  assert.equal((await reportedOf('1800000101.1')).length, 2);
  rmSync(path);
  await filler.reads(2);
  writeFileSync(path, line(2));
  await filler.reads(3);
  assert.equal((await reportedOf('1800000101.2')).length, 2);
  const about = codes().filter((code) => /readable|lost-position/.test(code));
  assert.deepEqual(about, [
    'cdr.unreadable',
    'cdr.readable',
    'cdr.unreadable',
    'cdr.lost-position',
    'cdr.readable',
  ]);
});

test('a restored file reports nothing again, and no call that was decided live and not reported', async (t) => {
  const { write, start, reportedOf, path, outbox, log } = await scene(t);
  write('');
  const first = await start();
  await first.reads(1);
  const at = now;
  const unreported = [{ id: 'pbx-1800000101.2', at, why: 'the caller withholds the number' }];
  await outbox.append({ calls: [], trunks: [], events: [], unreported });
  const all = line(1) + line(2) + line(3, { src: 'anonymous' });
  write(all);
  await first.reads(3);
  await first.stop();
  const { queued } = await outbox.counters();
  assert.equal(queued, 2);

  // WITHHELD_NUMBER was set meanwhile.
  const second = await start({ rules: () => ({ ...rules, withheldNumber: '+490' }) });
  rmSync(path);
  writeFileSync(path, all);
  await second.reads(3);
  assert.equal((await outbox.counters()).queued, queued);
  assert.deepEqual(await reportedOf('1800000101.2'), []);
  const { fields } = log.lines.findLast(({ code }) => code === 'cdr.filled') ?? {};
  assert.equal(fields?.known, 1, 'the first gap');
});

test('the ledger reaches back as far as calls are decided from records: what it forgets is too old to be reported', async (t) => {
  const { write, start, outbox, path, clock, csv } = await scene(t);
  write('');
  const days = 86_400_000;
  const first = await start();
  await first.reads(1);
  write(line(1));
  await first.reads(3);
  const prune = async (filler: typeof first) => {
    const seqs = (await outbox.eventsOf('pbx-1800000101.1')).map(({ seq }) => seq);
    await outbox.record(seqs.map((seq) => resultOf(seq, 'pbx-1800000101.1', { at: now })));
    return outbox.prune(Math.min(clock.now, filler.ledgerSince()));
  };
  clock.now = now + days;
  await first.reads(2);
  assert.equal(await prune(first), 0, 'the ledger keeps it');
  await first.stop();

  // Stopped for a month: a call of that gap is reported, then the ledger forgets what is older than two days.
  clock.now = now + 30 * days;
  const inGap = 1_800_000_101 + 20 * 86_400;
  write(line(2, { began: inGap }));
  // The first chunk has nothing yet.
  let isFirst = true;
  const second = await start(
    {},
    {
      source: {
        async read(from, how) {
          const chunk = isFirst ? { entries: [], next: from, restarted: false } : await csv.read(from, how);
          isFirst = false;
          return { atEnd: false, ...chunk };
        },
      },
    },
  );
  await second.reads(4);
  assert.equal((await outbox.eventsOf(`pbx-${inGap}.2`)).length, 2);
  assert.equal(await prune(second), 2);
  rmSync(path);
  writeFileSync(path, line(1));
  await second.reads(3);
  assert.deepEqual(await outbox.eventsOf('pbx-1800000101.1'), []);
});

test('while live events are only in memory nothing is decided, and a restart reads the records again', async (t) => {
  const { write, start, reportedOf, checkpointOf } = await scene(t);
  write('');
  let isWritten = true;
  const first = await start({}, { written: async () => isWritten });
  await first.reads(1);
  const before = await checkpointOf();
  isWritten = false;
  write(line(1));
  for (let nth = 0; nth < 4; nth++) await first.read();
  assert.deepEqual(await reportedOf('1800000101.1'), []);
  assert.equal(await checkpointOf(), before);
  await first.stop();

  const second = await start();
  await second.reads(3);
  assert.equal((await reportedOf('1800000101.1')).length, 2);
  assert.notEqual(await checkpointOf(), before);
});

test('a call whose channel is still there is decided when it is gone', async (t) => {
  const { write, start, reportedOf } = await scene(t);
  write('');
  let isKnown = true;
  const filler = await start({
    knownAs: (uniqueid) => (isKnown && uniqueid === '1800000101.1' ? uniqueid : undefined),
  });
  write(line(1) + line(2));
  await filler.reads(4);
  assert.deepEqual(await reportedOf('1800000101.1'), []);
  assert.equal((await reportedOf('1800000101.2')).length, 2, 'the next one does not wait for it');
  isKnown = false;
  await filler.reads(1);
  assert.equal((await reportedOf('1800000101.1')).length, 2);
});

test('records of another PBX that writes into the same table are not reported, as far as a systemname tells them apart', async (t) => {
  const { start, write, reportedOf } = await scene(t);
  const bridge = await start({ recordOptions: () => ({ ...usualRecords, systemname: 'berlin' }) });
  const ids = ['berlin-1800000101.1', 'bonn-1800000101.2', 'berlin2-1800000101.3', '1800000101.4'];
  for (const [nth, uniqueid] of ids.entries()) write(line(nth + 1, { uniqueid }));
  await bridge.reads(3);
  const counts = await Promise.all(ids.map(async (id) => (await reportedOf(id)).length));
  assert.deepEqual(counts, [2, 0, 0, 0]);
});

test('a call whose number has line breaks is reported, and a channel that another program named is no problem', async (t) => {
  const { write, start, reportedOf, codes } = await scene(t);
  const filler = await start();
  write(line(1, { src: '04066969100\r\nUniqueid: 1\n' }) + line(2, { uniqueid: 'c2c-5f2a' }) + line(3));
  await filler.reads(3);
  for (const uniqueid of ['1800000101.1', '1800000101.3'])
    assert.deepEqual(
      (await reportedOf(uniqueid)).map(({ status, from }) => [status, from]),
      [
        ['ringing', '+494066969100'],
        ['completed', '+494066969100'],
      ],
    );
  assert.deepEqual(codes(), ['cdr.from-now', 'cdr.call-reported', 'cdr.call-reported', 'cdr.filled']);
});

describe('uniqueids whose last digits their column has cut off', () => {
  /** A source that cuts them, as a column of 13 characters does. */
  const cutting = (csv: RecordSource<unknown>): Partial<RecordSource<unknown>> => ({
    idWidth: () => 13,
    async read(from, how) {
      const chunk = await csv.read(from, how);
      const entries = chunk.entries.map(({ record, from: position }) => ({
        from: position,
        record:
          typeof record === 'string' || record.uniqueid.length < 13
            ? record
            : { ...record, uniqueid: record.uniqueid.slice(0, 13) },
      }));
      return { ...chunk, entries };
    },
  });

  test('a call that was reported live is not reported again', async (t) => {
    const { csv, write, start, outbox, reportedOf, codes } = await scene(t);
    write('');
    await outbox.append({
      calls: [],
      trunks: [],
      events: [{ callId: 'pbx-1800000101.4721', status: 'ringing', body: '{}', queuedAt: now }],
    });
    const filler = await start({}, { source: cutting(csv) });
    write(line(4721));
    await filler.reads(4);
    assert.deepEqual(await reportedOf('1800000101.47'), []);
    assert.equal(codes().filter((code) => code === 'cdr.cut-uniqueid').length, 1);
  });

  test('a call that was not reported for a reason is still not reported', async (t) => {
    const { csv, write, start, outbox, reportedOf } = await scene(t);
    write('');
    const unreported = [{ id: 'pbx-1800000101.4721', at: now, why: 'withheld' }];
    await outbox.append({ calls: [], trunks: [], events: [], unreported });
    const filler = await start({}, { source: cutting(csv) });
    write(line(4721));
    await filler.reads(4);
    assert.deepEqual(await reportedOf('1800000101.47'), []);
  });

  test('a call of a gap is reported once, under the id that is left', async (t) => {
    const { csv, write, start, reportedOf } = await scene(t);
    write('');
    const filler = await start({}, { source: cutting(csv) });
    write(line(4721));
    await filler.reads(4);
    assert.equal((await reportedOf('1800000101.47')).length, 2);
    write(line(4721));
    await filler.reads(4);
    assert.equal((await reportedOf('1800000101.47')).length, 2);
  });

  test('a call in progress waits, and one that is gone ends by its record', async (t) => {
    const { csv, write, start, reportedOf } = await scene(t);
    write('');
    const vanished = new Set<string>();
    const ended: string[] = [];
    const filler = await start(
      {
        vanished: () => vanished,
        knownFrom: (beginning) => ('1800000101.4721'.startsWith(beginning) ? '1800000101.4721' : undefined),
        end({ uniqueid, callerId }) {
          ended.push(`${uniqueid} by ${callerId}`);
        },
      },
      { source: cutting(csv) },
    );
    write(line(4721, { by: 'PJSIP/1001-00000002' }));
    await filler.reads(4);
    assert.deepEqual([ended, await reportedOf('1800000101.47')], [[], []]);
    vanished.add('1800000101.4721');
    await filler.reads(1);
    assert.deepEqual(ended, ['1800000101.4721 by 1001']);
  });
});
