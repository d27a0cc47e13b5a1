import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createRules } from '../calls/rules.ts';
import { keepingLog, opened } from '../outbox/outbox.fixture.ts';
import { createCsvSource } from './csv-source.ts';
import { createGapFiller, type LiveCalls } from './gap-filler.ts';

const now = 1_800_000_100_000;

const rules = createRules({
  pbxId: 'pbx',
  inboundContexts: ['from-trunk'],
  inboundChannels: [],
  defaultCountry: 'DE',
  answeredBy: 'endpoint',
});

type LineOptions = { src?: string; by?: string; began?: number; uniqueid?: string };

/** A line of Master.csv; `began` is the seconds in its uniqueid. */
function line(nth: number, options: LineOptions = {}) {
  const { src = '04066969100', by = '', began = 1_800_000_101 } = options;
  const { uniqueid = `${began}.${nth}` } = options;
  const channel = `PJSIP/trunk-${String(nth).padStart(8, '0')}`;
  const texts = ['', src, '493012', 'from-trunk', '', channel, by, 'Dial', '', '2026-11-20 06:00:00', '', ''];
  const rest = [by === '' ? 'NO ANSWER' : 'ANSWERED', 'DOCUMENTATION', uniqueid];
  return `${texts.map((text) => `"${text}"`).join()},9,9,${rest.map((text) => `"${text}"`).join()}\n`;
}

const nobody: LiveCalls = {
  snapshots: () => 0,
  rules: () => rules,
  trunks: () => new Set(),
  isOpen: () => false,
  wasSeen: () => false,
  lost: () => new Set(),
  end: () => assert.fail('no call is open'),
};

/** A file of records, and a bridge that can be started on it again and again, with one outbox. */
async function scene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'filler-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'Master.csv');
  const mark = join(folder, 'state/cdr-mark.json');
  const log = keepingLog();
  const outbox = await opened(t, { directory: join(folder, 'state') });
  const nextEvents: string[] = [];
  return {
    path,
    mark,
    log,
    outbox,
    nextEvents,
    codes: () => log.lines.map(({ code }) => code),
    write: (text: string) => appendFileSync(path, text),
    async start(live: Partial<LiveCalls> = {}, written = async () => true) {
      const filler = createGapFiller(
        { source: createCsvSource(path), checkpointFile: mark, everyMs: 2 ** 30 },
        { ...nobody, ...live },
        {
          outbox: { ...outbox, written },
          onAppended: (taken) =>
            nextEvents.push(...taken.nextEvents.map(({ callId, status }) => `${callId} ${status}`)),
          log,
          now: () => now,
        },
      );
      await filler.start();
      t.after(() => filler.stop());
      return {
        ...filler,
        async looks(count: number) {
          for (let nth = 0; nth < count; nth++) while (await filler.look());
        },
      };
    },
    async told(uniqueid: string) {
      return (await outbox.eventsOf(`pbx-${uniqueid}`)).map(({ body }) => JSON.parse(body));
    },
  };
}

test('the past before the first start is never told, what comes after it is, and a restart goes on', async (t) => {
  const { write, start, told, codes, nextEvents } = await scene(t);
  write(line(1) + line(2).slice(0, 40));
  const first = await start();
  await first.stop();
  write(line(2).slice(40) + line(3, { began: 1_700_000_000 }));
  const second = await start();
  write(line(4, { by: 'PJSIP/1001-00000009' }));
  await second.looks(3);
  assert.deepEqual(await told('1800000101.1'), []);
  assert.deepEqual(await told('1700000000.3'), []);
  const call = (uniqueid: string) => ({ id: `pbx-${uniqueid}`, direction: 'inbound', from: '+494066969100' });
  assert.deepEqual(await told('1800000101.2'), [
    { ...call('1800000101.2'), status: 'ringing' },
    { ...call('1800000101.2'), status: 'completed' },
  ]);
  assert.deepEqual(await told('1800000101.4'), [
    { ...call('1800000101.4'), status: 'ringing' },
    { ...call('1800000101.4'), status: 'answered', caller_id: '1001' },
    { ...call('1800000101.4'), status: 'completed', caller_id: '1001' },
  ]);
  assert.deepEqual(nextEvents, ['pbx-1800000101.2 ringing', 'pbx-1800000101.4 ringing']);
  assert.deepEqual(codes(), [
    'cdr.from-now',
    'cdr.going-on',
    'cdr.call-reported',
    'cdr.call-reported',
    'cdr.filled',
  ]);
});

test('what was told but never ended is ended, and what was told is left alone', async (t) => {
  const { write, start, told, outbox, log } = await scene(t);
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
  await filler.looks(3);
  const statuses = async (id: string) => (await told(`1800000101.${id}`)).map(({ status }) => status);
  assert.deepEqual(await statuses('1'), ['ringing', 'answered', 'completed']);
  assert.deepEqual(await statuses('2'), ['ringing', 'completed']);
  assert.deepEqual(await statuses('3'), []);
  const { fields } = log.lines.find(({ code }) => code === 'cdr.filled') ?? {};
  assert.deepEqual(fields, { told: 1, ended: 0, unrecorded: 0, withheld: 1, known: 1, seen: 0, old: 0 });
});

test('a call that is gone ends as its record says, or after some looks without one', async (t) => {
  const { write, start } = await scene(t);
  const lost = new Set(['1800000101.1', '1800000101.2']);
  const ended: object[] = [];
  const end: LiveCalls['end'] = ({ at: _, ...call }) => {
    ended.push(call);
    lost.delete(call.uniqueid);
  };
  const filler = await start({ lost: () => lost, isOpen: (uniqueid) => lost.has(uniqueid), end });
  write(line(1, { by: 'PJSIP/1001-00000009' }));
  await filler.looks(3);
  assert.deepEqual(ended, [{ uniqueid: '1800000101.1', from: '+494066969100', callerId: '1001' }]);
  await filler.looks(6);
  assert.deepEqual(ended.slice(1), [{ uniqueid: '1800000101.2' }]);
});

test('a channel name that a leg had before Asterisk was restarted is no reason to leave a call alone', async (t) => {
  const { write, start, told } = await scene(t);
  const filler = await start();
  write(line(70, { by: 'PJSIP/trunk-00000002' }) + line(2, { began: 1_800_000_300 }));
  await filler.looks(3);
  assert.equal((await told('1800000101.70')).length, 3);
  assert.equal((await told('1800000300.2')).length, 2);
});

test('what is no record, or says not of which call, is said once and passed over', async (t) => {
  const { write, start, told, codes } = await scene(t);
  const filler = await start();
  const stray = line(1, { uniqueid: '' });
  write(`oops\noops\n${stray}${stray}${line(2)}`);
  await filler.looks(3);
  assert.equal((await told('1800000101.2')).length, 2);
  assert.equal(codes().filter((code) => code === 'cdr.bad-line').length, 1);
  assert.equal(codes().filter((code) => code === 'cdr.no-uniqueid').length, 1);
});

test('a file that cannot be read is said once, and nothing is skipped', async (t) => {
  const { write, start, told, codes, path } = await scene(t);
  const filler = await start();
  await filler.looks(3);
  write(line(1));
  await filler.looks(3);
  assert.equal((await told('1800000101.1')).length, 2);
  rmSync(path);
  await filler.looks(2);
  writeFileSync(path, line(2));
  await filler.looks(3);
  assert.equal((await told('1800000101.2')).length, 2);
  const about = codes().filter((code) => /readable|lost-position/.test(code));
  assert.deepEqual(about, [
    'cdr.unreadable',
    'cdr.readable',
    'cdr.unreadable',
    'cdr.lost-position',
    'cdr.readable',
  ]);
});

test('a place that cannot be kept is said once, calls are told all the same, and it is kept when it can be', async (t) => {
  const { write, start, told, codes, mark } = await scene(t);
  write('');
  const first = await start();
  await first.looks(1);
  mkdirSync(`${mark}.part`);
  write(line(1));
  await first.looks(3);
  write(line(2));
  await first.looks(3);
  assert.equal((await told('1800000101.1')).length, 2);
  assert.equal((await told('1800000101.2')).length, 2);
  await first.stop();

  const second = await start();
  await second.looks(3);
  assert.equal((await told('1800000101.1')).length, 2, 'read again, and not told again');
  rmdirSync(`${mark}.part`);
  await second.looks(1);
  assert.deepEqual(
    codes().filter((code) => /readable|position/.test(code)),
    ['cdr.position-not-saved', 'cdr.position-not-saved', 'cdr.position-saved'],
  );
});

test('the place stays where it is while what was heard is in memory only, and a restart reads the records again', async (t) => {
  const { write, start, told, mark } = await scene(t);
  write('');
  let isWritten = true;
  const first = await start({ wasSeen: () => true }, async () => isWritten);
  await first.looks(1);
  const before = readFileSync(mark, 'utf8');
  isWritten = false;
  write(line(1));
  await first.looks(4);
  assert.equal(readFileSync(mark, 'utf8'), before);
  await first.stop();

  const second = await start();
  await second.looks(3);
  assert.equal((await told('1800000101.1')).length, 2);
  assert.notEqual(readFileSync(mark, 'utf8'), before);
});

test('it reads by itself, also if the records could not be read at the start', async (t) => {
  const { path, mark, outbox, log, told } = await scene(t);
  writeFileSync(path, '');
  const source = createCsvSource(path);
  let isReadable = false;
  const filler = createGapFiller(
    {
      source: { ...source, end: () => (isReadable ? source.end() : Promise.reject(new Error('away'))) },
      ...{ checkpointFile: mark, everyMs: 1 },
    },
    nobody,
    { outbox: { ...outbox, written: async () => true }, onAppended() {}, log, now: () => now },
  );
  t.after(() => filler.stop());
  await filler.start();
  await log.seen('cdr.unreadable');
  isReadable = true;
  await log.seen('cdr.from-now');
  appendFileSync(path, line(1));
  await log.seen('cdr.call-reported');
  assert.equal((await told('1800000101.1')).length, 2);
});

test('a long gap is read in pieces, and each call of it is told', async (t) => {
  const { write, start, outbox, path } = await scene(t);
  const filler = await start();
  await filler.looks(1);
  for (let nth = 0; nth < 5_000; nth++) write(line(nth));
  assert.ok(readFileSync(path).length > 2 << 18);
  await filler.looks(3);
  assert.equal((await outbox.counters()).queued, 10_000);
});
