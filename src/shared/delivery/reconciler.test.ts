import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepingLog } from '../../bridge/outbox/outbox.fixture.ts';
import type { Delivered } from './compare.ts';
import { HistoryUnreadable } from './history-reader.ts';
import { createReconciler, type ReconcilerOptions } from './reconciler.ts';

const minute = 60_000;

/** An API with a history, and a reconciler of it; `lose` says which events it confirms and does not keep. */
function scene(
  options: Partial<ReconcilerOptions> = {},
  lose: (event: Omit<Delivered, 'at'>) => boolean = () => false,
) {
  let clock = 1_800_000_000_000;
  let flowing = true;
  let trouble: string | undefined;
  let understood = true;
  const recorded = new Map<string, Set<string>>();
  const sent: string[] = [];
  const asked: number[] = [];
  const log = keepingLog();
  const reconciler = createReconciler({
    beginning: 'pbx-',
    everyMs: 5 * minute,
    reader: {
      async understands() {
        if (trouble !== undefined) throw new HistoryUnreadable(trouble);
        return understood;
      },
      async find(delivered, most) {
        asked.push(delivered.length);
        assert.ok(most <= 1_000);
        return { recorded, unread: new Set() };
      },
    },
    recent: async () => [],
    async sendAgain(missing) {
      sent.push(...missing.map(({ callId, status }) => `${callId} ${status}`));
      for (const { seq, callId, status } of missing) deliver(seq, callId, status);
      return missing.map(({ seq }) => seq);
    },
    isFlowing: () => flowing,
    log,
    now: () => clock,
    ...options,
  });
  function deliver(seq: number, callId: string, status: Delivered['status']) {
    if (!lose({ seq, callId, status })) recorded.set(callId, (recorded.get(callId) ?? new Set()).add(status));
    reconciler.delivered({ seq, callId, status });
  }
  return {
    reconciler,
    deliver,
    sent,
    asked,
    recorded,
    codes: () => log.lines.map(({ code }) => code),
    fail: (why: string | undefined) => {
      trouble = why;
    },
    understand: (does: boolean) => {
      understood = does;
    },
    flow: (does: boolean) => {
      flowing = does;
    },
    async after(ms: number) {
      clock += ms;
      await reconciler.compare();
    },
  };
}

/** Delivered events of this number of calls, which are kept. */
function deliverMany({ deliver }: ReturnType<typeof scene>, count: number) {
  for (let nth = 0; nth < count; nth++) deliver(1_000 + nth, `pbx-1.${nth}`, 'completed');
}

test('what the API lost is sent again, in order, once it had a minute to show it', async () => {
  let losing = true;
  const it = scene({}, ({ callId }) => losing && callId === 'pbx-lost');
  deliverMany(it, 5);
  it.deliver(2, 'pbx-lost', 'completed');
  it.deliver(1, 'pbx-lost', 'ringing');
  await it.after(minute / 2);
  assert.deepEqual([it.sent, it.asked], [[], []]);
  losing = false;
  await it.after(minute);
  assert.deepEqual(it.sent, ['pbx-lost ringing', 'pbx-lost completed']);
  await it.after(5 * minute);
  await it.after(5 * minute);
  assert.equal(it.sent.length, 2);
  assert.deepEqual(it.asked, [7, 2]);
  const { compared, sentAgain, gaveUp, state } = it.reconciler.status();
  assert.deepEqual(
    { compared, sentAgain, gaveUp, state },
    { compared: 7, sentAgain: 2, gaveUp: 0, state: 'ok' },
  );
  assert.deepEqual(it.codes(), ['reconcile.sent-again']);
});

test('what was delivered before the start is read once and compared, as far as an hour back', async () => {
  let reads = 0;
  const before = (seq: number, callId: string, minutes: number) =>
    ({ seq, callId, status: 'ringing', at: 1_800_000_000_000 - minutes * minute }) as const;
  const recent = async () => {
    reads += 1;
    return [before(1, 'pbx-old', 56), before(2, 'pbx-lost', 55)];
  };
  const it = scene({ recent });
  await it.after(5 * minute);
  await it.after(5 * minute);
  assert.deepEqual([it.sent, it.asked, reads], [['pbx-lost ringing'], [1, 1], 1]);
  assert.equal(it.reconciler.status().skipped, 1);
});

test('what is lost each time is sent again five times, and then that is logged', async () => {
  const it = scene({}, ({ callId }) => callId === 'pbx-lost');
  deliverMany(it, 5);
  it.deliver(1, 'pbx-lost', 'ringing');
  for (let round = 0; round < 9; round++) await it.after(5 * minute);
  assert.deepEqual(it.sent, Array(5).fill('pbx-lost ringing'));
  assert.deepEqual(it.codes(), [...Array(5).fill('reconcile.sent-again'), 'reconcile.gave-up']);
  assert.equal(it.reconciler.status().gaveUp, 1);
});

test('what a later state has overtaken is not sent again: the API would discard it', async () => {
  const it = scene({}, ({ callId, status }) => callId === 'pbx-lost' && status === 'ringing');
  it.deliver(1, 'pbx-lost', 'ringing');
  it.deliver(2, 'pbx-lost', 'completed');
  await it.after(5 * minute);
  await it.after(5 * minute);
  assert.deepEqual([it.sent, it.codes(), it.asked], [[], ['reconcile.overtaken'], [2]]);
});

test('when more than half is missing, nothing is sent, and what can be found later is not forgotten', async () => {
  let losing = true;
  const it = scene({}, ({ callId }) => losing && callId.startsWith('pbx-2'));
  deliverMany(it, 20);
  for (let nth = 0; nth < 21; nth++) it.deliver(nth, `pbx-2.${nth}`, 'ringing');
  await it.after(5 * minute);
  await it.after(5 * minute);
  assert.deepEqual([it.sent, it.codes()], [[], ['reconcile.too-much-missing']]);
  assert.equal(it.reconciler.status().reason, '21 of 41 events are not in it');
  losing = false;
  for (let nth = 0; nth < 21; nth++) it.recorded.set(`pbx-2.${nth}`, new Set(['ringing']));
  await it.after(5 * minute);
  assert.deepEqual([it.sent, it.codes()], [[], ['reconcile.too-much-missing', 'reconcile.working']]);
});

test('what was overtaken is no less known: fewer than half are missing', async () => {
  const it = scene(
    {},
    ({ callId, status }) =>
      callId.startsWith('pbx-2') || (callId.startsWith('pbx-3') && status === 'ringing'),
  );
  deliverMany(it, 6);
  for (let nth = 0; nth < 15; nth++) it.deliver(nth, `pbx-2.${nth}`, 'ringing');
  for (let nth = 0; nth < 10; nth++) {
    it.deliver(100 + nth, `pbx-3.${nth}`, 'ringing');
    it.deliver(200 + nth, `pbx-3.${nth}`, 'completed');
  }
  await it.after(5 * minute);
  assert.equal(it.sent.length, 15);
});

test('a history that is not ours, or cannot be read, is logged once, and nothing is sent', async () => {
  const it = scene({}, () => true);
  it.understand(false);
  it.deliver(1, 'pbx-lost', 'ringing');
  await it.after(5 * minute);
  await it.after(5 * minute);
  it.fail('HTTP 503');
  await it.after(5 * minute);
  assert.deepEqual([it.sent, it.asked], [[], []]);
  assert.deepEqual(it.codes(), ['reconcile.not-understood', 'reconcile.unreadable']);
  it.fail(undefined);
  it.understand(true);
  await it.after(5 * minute);
  assert.deepEqual(it.sent, ['pbx-lost ringing']);
});

test('what a stop breaks off is not logged', async () => {
  const broken = async () => {
    void it.reconciler.stop();
    throw new HistoryUnreadable('it was broken off');
  };
  const it = scene({ reader: { understands: broken, find: broken } });
  deliverMany(it, 1);
  await it.after(5 * minute);
  assert.deepEqual([it.codes(), it.reconciler.status().state], [[], 'ok']);
});

test('a try that the disk refused does not count: an event is sent again five times all the same', async () => {
  let refused = 0;
  let sent = 0;
  const it = scene(
    {
      async sendAgain(missing) {
        if (refused++ === 0) throw new Error('disk full');
        sent += 1;
        for (const event of missing) it.reconciler.delivered(event);
        return missing.map(({ seq }) => seq);
      },
    },
    ({ callId }) => callId === 'pbx-lost',
  );
  it.deliver(1, 'pbx-lost', 'ringing');
  for (let round = 0; round < 9; round++) await it.after(5 * minute);
  assert.equal(sent, 5);
  assert.equal(it.reconciler.status().gaveUp, 1);
});

test('of more than wait at a time the oldest are not compared', async () => {
  const it = scene();
  for (let seq = 0; seq < 100_000; seq++)
    it.reconciler.delivered({ seq, callId: 'pbx-1', status: 'completed' });
  assert.equal(it.reconciler.status().skipped, 0);
  it.reconciler.delivered({ seq: 100_000, callId: 'pbx-1', status: 'completed' });
  assert.equal(it.reconciler.status().skipped, 10_000);
});
