import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../shared/log/log.ts';
import { callSettings } from './calls/rules.fixture.ts';
import { createRules } from './calls/rules.ts';
import type { Appended, Batch } from './outbox/outbox.ts';
import { createTrackerDriver } from './tracker-driver.ts';

const rules = createRules({ ...callSettings, defaultCountry: 'DE' });

/** A tracker that has heard a call ring, and whose disk has not taken it yet. */
function tracking({ sendsExtras = false, presentation = 'allowed' as 'allowed' | 'prohibited' } = {}) {
  const said: string[] = [];
  const log: Log = {
    say: (code, fields = {}) => void said.push(code === 'call.not-stored' ? `${code} ${fields.calls}` : code),
    child: () => log,
  };
  const disk = Promise.withResolvers<Appended>();
  const batches: Batch[] = [];
  const tracker = createTrackerDriver(
    rules,
    { calls: [], trunks: [], unreported: [] },
    {
      log,
      ask: { presentation() {}, application() {}, variable() {} },
      askChannels() {},
      who: undefined,
      append(batch) {
        batches.push(batch);
        return disk.promise;
      },
      callsInMemory: () => 1,
      onAppended() {},
      prefetchPriority() {},
      onApplied() {},
      fail: assert.ifError,
      keepsJournal: false,
      sendsExtras,
    },
  );
  const uniqueid = '1.1';
  tracker.apply({
    type: 'channel-created',
    at: Date.now(),
    uniqueid,
    linkedid: uniqueid,
    channel: 'PJSIP/trunk-1',
    state: 4,
    context: 'from-trunk',
    exten: '4940777',
    callerNumber: '+4940123456',
  });
  tracker.apply({ type: 'presentation', at: Date.now(), uniqueid, presentation, dnid: undefined });
  return {
    tracker,
    said,
    disk,
    unreported: () => batches.flatMap(({ unreported = [] }) => unreported),
    batches,
  };
}

test('tracker: a stop waits until all is on disk', async () => {
  const { tracker, said, disk } = tracking();
  let stopped = false;
  const stop = tracker.stop(60_000).then(() => {
    stopped = true;
  });
  await new Promise(setImmediate);
  assert.equal(stopped, false);
  disk.resolve({ nextEvents: [], repeated: [] });
  await stop;
  assert.deepEqual(said, ['call.ringing']);
});

test('tracker: the same Uniqueid again: what was reported before is not said to be on its way', async () => {
  const { tracker, said, disk } = tracking();
  disk.resolve({
    nextEvents: [],
    repeated: [{ callId: 'pbx-1.1', status: 'ringing', body: '', queuedAt: 1 }],
  });
  await tracker.stop(60_000);
  assert.deepEqual(said, ['call.repeated', 'call.uniqueid-repeated']);
  assert.equal(tracker.status().repeated, 1);
});

test('tracker: only another call repeats a Uniqueid, which is said once', async () => {
  const { tracker, said, disk } = tracking();
  const again = { callId: 'pbx-1.1', body: '', queuedAt: 1 };
  tracker.apply({ type: 'hung-up', at: Date.now(), uniqueid: '1.1', cause: 16 });
  disk.resolve({ nextEvents: [], repeated: [{ ...again, status: 'completed' }] });
  await tracker.stop(60_000);
  assert.deepEqual(said, ['call.ringing', 'call.repeated']);
  assert.equal(tracker.status().repeated, 0);
});

test('tracker: a stop does not wait for ever for a disk that fails, and says what that costs', async () => {
  const { tracker, said } = tracking();
  await tracker.stop(1);
  assert.deepEqual(said, ['call.not-stored 1']);
});

test('tracker: the record of a caller whose far end was replaced is not the end of the call', () => {
  const { tracker, unreported } = tracking();
  const at = Date.now();
  const enters = { type: 'bridge-entered', at, bridge: 'b', technology: 'softmix', channel: '' } as const;
  tracker.apply({ ...enters, uniqueid: '1.1', callerNumber: '' });
  const second = { uniqueid: '1.2', linkedid: '1.2', channel: 'PJSIP/trunk-2', state: 4, callerNumber: '' };
  tracker.apply({ type: 'channel-created', at, context: 'from-trunk', exten: '4940777', ...second });
  tracker.apply({ ...enters, uniqueid: '1.2', callerNumber: '', replaces: '1.1' });
  tracker.apply({ type: 'hung-up', at, uniqueid: '1.1', cause: 16 });
  assert.equal(tracker.live.knownAs('1.1'), '1.1');
  assert.equal(tracker.live.knownFrom('1.'), '1.2');
  assert.deepEqual(
    unreported().map(({ id }) => id),
    ['pbx-1.2'],
  );
  tracker.apply({ type: 'hung-up', at, uniqueid: '1.2', cause: 16 });
  assert.equal(tracker.live.knownAs('1.1'), undefined);
});

test('tracker: the ledger gets each call that is not reported: after a restart a snapshot may not show why', () => {
  const why = 'the caller withholds the number, and WITHHELD_NUMBER is not set';
  const withheld = tracking({ presentation: 'prohibited' });
  assert.deepEqual(
    withheld.unreported().map(({ id, why }) => ({ id, why })),
    [{ id: 'pbx-1.1', why }],
  );
  assert.deepEqual(tracking().unreported(), []);
});
