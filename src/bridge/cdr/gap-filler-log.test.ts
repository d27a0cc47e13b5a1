import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journalText } from '../../cli/explain/journal-text.ts';
import { RecordsRefused } from './cdr-source.ts';
import { line, now, scene } from './gap-filler.fixture.ts';

const day = 86_400_000;
const missed = { where: 'ringing', after: 9 };

test('the log counts what the records of a gap said, once and after all of it', async (t) => {
  const { write, start, log, outbox, reportedOf } = await scene(t);
  const append = t.mock.method(outbox, 'append');
  let snapshots = 0;
  const journal: string[] = [];
  const vanished = new Set(['1800000101.1', '1800000101.2']);
  const filler = await start({
    snapshots: () => snapshots,
    vanished: () => vanished,
    knownAs: (uniqueid) => (vanished.has(uniqueid) ? uniqueid : undefined),
    end: ({ uniqueid }) => void vanished.delete(uniqueid),
    writeJournal: (entry) => void journal.push(`${entry.call} of ${entry.number}: ${journalText(entry)}`),
  });
  const unreported = [{ id: 'pbx-1800000101.4', at: now, why: 'why' }];
  await outbox.append({ calls: [], trunks: [], events: [], unreported });
  write(line(1) + line(3, { src: '' }) + line(4) + line(5, { began: 1_700_000_000 }));
  write(line(6) + line(7) + line(8, { context: 'from-internal' }));
  write(line(10).replace('PJSIP/trunk-00000010', 'Local/1001@from-internal-00000001;1'));
  await filler.reads(10);
  const counted = () => log.lines.filter(({ code }) => code === 'cdr.filled').map(({ fields }) => fields);
  const none = { reported: 0, ended: 0, unrecorded: 0, notReported: 0, known: 0, old: 0 };
  const first = { reported: 2, ended: 1, unrecorded: 1, notReported: 1, known: 1, old: 1 };
  assert.deepEqual(counted(), [first]);
  const { fields } = log.lines.find(({ code }) => code === 'call.no-number') ?? {};
  assert.equal(fields?.call, 'pbx-1800000101.3');
  assert.deepEqual(journal, [
    'pbx-1800000101.3 of : its record has no number, and neither MISSING_NUMBER nor WITHHELD_NUMBER is set',
    'pbx-1800000101.8 of 04066969100: its record is not of an inbound call',
  ]);

  const writes = append.mock.callCount();
  await filler.reads(5);
  assert.equal(append.mock.callCount(), writes, 'a quiet read writes nothing');
  assert.deepEqual(counted(), [first]);
  snapshots += 1;
  await filler.reads(2);
  assert.deepEqual(counted(), [first, none], 'an empty gap is one, too');
  write(line(9));
  await filler.reads(3);
  assert.deepEqual(counted(), [first, none, { ...none, reported: 1 }]);
  write(line(11, { src: '' }));
  await filler.reads(3);
  assert.deepEqual(counted().at(-1), { ...none, notReported: 1 });
  vanished.add('1800000101.12');
  await filler.reads(7);
  assert.deepEqual(counted().at(-1), { ...none, unrecorded: 1 });
  write(line(4));
  await filler.reads(3);
  assert.deepEqual(await reportedOf('1800000101.4'), [], 'not reported, when it comes alone either');
});

test('the records are read thoroughly at first, after each gap and now and then', async (t) => {
  const { write, start, csv } = await scene(t);
  write('');
  const thorough: boolean[] = [];
  const read: typeof csv.read = (from, how) => {
    thorough.push(how.thorough);
    return csv.read(from, how);
  };
  let snapshots = 0;
  const filler = await start({ snapshots: () => snapshots }, { source: { read } });
  await filler.reads(2);
  snapshots += 1;
  await filler.reads(298 + 2);
  const nth = thorough.flatMap((it, at) => (it ? at : []));
  assert.deepEqual(nth, [0, 3, 300]);
});

test('a call that is gone ends as its record says', async (t) => {
  const { write, start } = await scene(t);
  const ids = [1, 2, 3, 4].map((nth) => `1800000101.${nth}`);
  const vanished = new Set(ids);
  const ended: object[] = [];
  const filler = await start({
    vanished: () => vanished,
    knownAs: (uniqueid) => (vanished.has(uniqueid) ? uniqueid : undefined),
    end(call) {
      ended.push(call);
      vanished.delete(call.uniqueid);
    },
  });
  write(line(1) + line(2, { by: 'PJSIP/1001-00000009' }));
  write(line(3, { src: 'anonymous' }) + line(4, { context: 'from-internal' }));
  await filler.reads(3);
  const number = { from: '+494066969100', how: 'as dialled in DE' };
  const facts = (nth: number) => ({ channel: `PJSIP/trunk-0000000${nth}` });
  const why = 'the caller withholds the number, and WITHHELD_NUMBER is not set';
  assert.deepEqual(
    ended,
    [
      { number, facts: facts(1), missed },
      { number, facts: facts(2), callerId: '1001' },
      { number: { reason: 'no-number', why }, facts: facts(3), missed },
      {},
    ].map((more, nth) => ({
      at: now,
      uniqueid: ids[nth],
      ...more,
    })),
  );
});

test('no call of more than 90 days ago is reported', async (t) => {
  const { write, start, clock, outbox } = await scene(t);
  write('');
  const first = await start();
  await first.reads(1);
  await first.stop();
  clock.now += 100 * day;
  const began = (days: number) => 1_800_000_101 + days * 86_400;
  write(line(1, { began: began(9) }) + line(2, { began: began(11) }));
  const second = await start();
  assert.equal(second.ledgerSince(), clock.now - 90 * day);
  await second.reads(3);
  assert.deepEqual(await outbox.eventsOf(`pbx-${began(9)}.1`), []);
  assert.equal((await outbox.eventsOf(`pbx-${began(11)}.2`)).length, 2);
});

test('a clock that was ahead for a moment stops no gap filling once it is right again', async (t) => {
  const { write, start, clock, log, reportedOf } = await scene(t);
  write('');
  const first = await start();
  await first.reads(1);
  clock.now += 40 * day;
  await first.reads(1);
  clock.now = now;
  await first.stop();
  // In the gap, with the clock right again.
  write(line(1));
  const second = await start();
  await second.reads(3);
  assert.deepEqual(
    (await reportedOf('1800000101.1')).map(({ status }) => status),
    ['ringing', 'completed'],
  );
  const said = log.lines.filter(({ code }) => code === 'cdr.clock-was-ahead');
  assert.deepEqual(
    said.map(({ fields }) => [fields.was, fields.since]),
    [['2027-02-22T08:00:00.000Z', '2027-01-13T08:00:00.000Z']],
  );
});

test('since when and why records cannot be read is known until they can be', async (t) => {
  const { write, start, clock, path, log } = await scene(t);
  let isRefused = true;
  const filler = await start(
    {},
    {
      source: {
        async end() {
          if (isRefused) throw new RecordsRefused('no table', 'Make one.');
          return { inode: 0, offset: 0, tail: '' };
        },
      },
    },
  );
  await filler.reads(1);
  clock.now += 5_000;
  await filler.reads(1);
  assert.deepEqual(filler.unreadable(), { source: path, error: 'no table. Make one.', since: now });
  const { fields } = log.lines.find(({ code }) => code === 'cdr.unreadable') ?? {};
  assert.deepEqual(fields, { source: path, error: 'no table. Make one.' });
  isRefused = false;
  write(line(1));
  await filler.reads(1);
  assert.equal(filler.unreadable(), undefined);
});

test('a trunk whose calls of a gap are all lost, since their numbers count as withheld, is named once', async (t) => {
  const { write, start, log } = await scene(t);
  const named = () => log.lines.flatMap(({ code, fields }) => (code === 'cdr.all-withheld' ? fields : []));
  const lost = await start({ presumesWithheld: (endpoint) => endpoint === 'PJSIP/trunk' });
  write(line(1) + line(2));
  await lost.reads(3);
  assert.deepEqual(named(), [{ trunk: 'PJSIP/trunk' }]);
  await lost.stop();
  const other = await start();
  write(line(3, { src: '' }));
  await other.reads(3);
  assert.equal(named().length, 1, 'a caller without a number says nothing of the trunk');
});
