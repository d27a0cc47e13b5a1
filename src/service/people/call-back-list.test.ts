import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../test/tools/until.ts';
import { type CallRecord, noExtras } from '../calls/call-record.ts';
import { createScreens } from '../calls/screens.ts';
import { createCallBackList } from './call-back-list.ts';
import type { CallerStore } from './caller-store.ts';
import type { MissedCaller } from './missed-caller-store.ts';

const ann = { reference: '7', name: 'Ann' };
const ended = (id: string, number: string, missed = true) =>
  ({
    id,
    number,
    from: number,
    status: 'completed',
    missed,
    startedAt: 1,
    completedAt: 2,
    updatedAt: 2,
    callerId: null,
    customer: number.startsWith('22') ? ann : null,
    segment: null,
    priority: null,
    integration: 1,
    closedFrom: null,
    past: false,
    rang: null,
    talked: null,
    extras: noExtras,
  }) as CallRecord;

/** A list on missed calls that the test adds to, and what is read and sent. `during`: what comes while it is read. */
function scene(during = () => {}) {
  const screens = createScreens();
  const sent: { missed: { id: string }[]; gone: string[]; count: number }[] = [];
  const calls = [ended('old', '110'), ended('hers', '220')];
  const reads: string[] = [];
  const reached = new Set<string>();
  const callers = {
    async missedCallers(_account: number, _since: number, number?: string) {
      reads.push(number ?? 'all');
      const seen: MissedCaller[] = calls
        .filter((call) => number === undefined || call.number === number)
        .map((call) => ({
          call,
          calls: [{ since: 1, until: 2, count: 1 }],
          answered: reached.has(call.number) ? { began: 3, at: 3, by: null } : null,
        }));
      during();
      return { callers: seen, more: false };
    },
    missedAmong: async (_account: number, _since: number, numbers: readonly string[]) =>
      numbers.filter((one) => calls.some(({ number, missed }) => missed && number === one)),
    actions: async () => [],
    newestNotes: async () => [],
    promises: async () => [],
    act: async () => {},
  };
  const list = createCallBackList(callers as unknown as CallerStore, screens, () => 3);
  const open = () =>
    screens.subscribe({ account: 1, user: 1 }, (frame) => {
      const [, event, data = ''] = /^event: (.*)\ndata: (.*)/.exec(frame) ?? [];
      if (event === 'missed') sent.push(JSON.parse(data));
    });
  const begin = async () => (await list.onScreen(1)).missed.map(({ id }) => id);
  const move = (call: CallRecord) => screens.publish(1, call);
  return { list, calls, reached, reads, sent, open, begin, move };
}

test('a call that is missed while the list is read is sent to screens by the next reading', async () => {
  const late = ended('new', '112');
  const { calls, move, open, begin, sent, reads } = scene(() => {
    if (calls.includes(late)) return;
    calls.push(late);
    move(late);
  });
  open();
  assert.deepEqual(await begin(), ['old', 'hers']);
  await until('the list is read again', () => sent.length > 0);
  assert.deepEqual(
    sent.map(({ missed, count }) => [missed.map(({ id }) => id), count]),
    [[['new'], 3]],
  );
  assert.deepEqual(reads, ['all', '112']);
});

test('a call that moves costs the reading of its person, by all numbers; another screen costs none', async () => {
  const { list, calls, reached, move, open, begin, sent, reads } = scene();
  const close = open();
  await begin();
  assert.deepEqual(await begin(), ['old', 'hers']);
  assert.deepEqual(reads.splice(0), ['all']);
  // She calls from another of her numbers, and is answered.
  reached.add('220');
  move(ended('answered', '221', false));
  await until('she is gone', () => sent.length > 0);
  assert.deepEqual(sent.splice(0), [{ missed: [], gone: ['customer 7'], count: 1, more: false }]);
  assert.deepEqual(reads.splice(0), ['220'], 'the number that was missed, not the other one');

  close();
  calls.push(ended('unseen', '113'));
  move(ended('unseen', '113'));
  open();
  assert.deepEqual(await begin(), ['old', 'unseen'], 'what came without screens is read for the next one');
  assert.deepEqual(reads.splice(0), ['113']);
  await list.publish(1);
  assert.deepEqual(reads, ['all'], 'anything may have changed');
  const urgent = { ...ended('urgent', '114'), priority: 10 };
  calls.push(urgent);
  move(urgent);
  assert.deepEqual(await begin(), ['urgent', 'old', 'unseen']);
});

test('screens hear how many there are when somebody below their fifty rows changes', async () => {
  const { calls, move, open, begin, sent } = scene();
  calls.push(...Array.from({ length: 60 }, (_, n) => ended(`many ${n}`, `3${100 + n}`)));
  open();
  assert.equal((await begin()).length, 50);
  calls.push(ended('last', '3999'));
  move(ended('last', '3999'));
  await until('the count', () => sent.length > 0);
  assert.deepEqual(sent, [{ missed: [], gone: [], count: 63, more: false }]);
});
