import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Log } from '../../shared/log/log.ts';
import { type AmiFailure, describeFailure, saysNothing } from '../ami/failure.ts';
import { noon, statusWith } from './bridge-status.fixture.ts';
import { extended, type Notice } from './service-manager.ts';
import type { Liveness } from './supervision.ts';
import { createSupervisor } from './supervisor.ts';

/** A supervisor of a simulated bridge, on a clock that moves only with `pass`. */
function supervise(t: TestContext, liveness: Partial<Liveness['pbx']> = {}, watchdogMs?: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const notices: Notice[] = [];
  const logged: string[] = [];
  const log: Log = { say: (code, fields) => void logged.push(`${code} ${fields?.part}`), child: () => log };
  const bridge = {
    pbx: {
      state: 'up',
      since: noon,
      lastPongAt: noon,
      bytesIn: 0,
      connects: 1,
      ...liveness,
    } as Liveness['pbx'],
    storage: { state: 'working' } as Liveness['storage'],
    uncommittedSince: undefined as number | undefined,
    readStatus: async () => statusWith(),
  };
  let ms = 0.375;
  const supervisor = createSupervisor({
    notify: (notice) => notices.push(notice),
    readLiveness: () => bridge,
    readStatus: () => bridge.readStatus(),
    log,
    watchdogMs,
    monotonic: () => ms,
    now: () => noon + ms,
  });
  return {
    bridge,
    logged,
    ...supervisor,
    /** Lets time pass in steps of 250 ms; returns the notifications of that time. */
    async pass(seconds: number, during: () => void = () => {}): Promise<Notice[]> {
      notices.length = 0;
      for (let step = 0; step < seconds * 4; step++) {
        during();
        ms += 250;
        t.mock.timers.tick(250);
        for (let turn = 0; turn < 3; turn++) await Promise.resolve();
      }
      return notices;
    },
    notices,
  };
}

const countOf = (notices: Notice[], name: string) => notices.filter((notice) => name in notice).length;

/** A start whose attempts to connect all end in this failure. */
function startWith(t: TestContext, failure: AmiFailure) {
  const supervised = supervise(t, { state: 'waiting', connects: 0, failure });
  const { bridge } = supervised;
  bridge.readStatus = async () =>
    statusWith({ pbx: { state: 'waiting', failure: describeFailure(failure) } });
  supervised.start();
  let attempts = 0;
  const trying = () => {
    bridge.pbx = { ...bridge.pbx, since: noon + attempts++ };
  };
  return { ...supervised, trying };
}

const refused: AmiFailure = { kind: 'unreachable', detail: 'ECONNREFUSED' };

test('a start is extended while it opens its databases, for two hours, and no longer', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let extensions = 0;
  const { promise, resolve } = Promise.withResolvers<string>();
  const start = extended(promise, () => {
    extensions += 1;
  });
  const hour = 3_600_000;
  t.mock.timers.tick(hour);
  assert.equal(extensions, 180);
  t.mock.timers.tick(3 * hour);
  assert.equal(extensions, 360);
  resolve('open');
  assert.equal(await start, 'open');
});

test('READY is sent once, after the channels were read for the first time', async (t) => {
  const { bridge, pass, trying } = startWith(t, refused);
  const away = await pass(50, trying);
  assert.equal(countOf(away, 'READY'), 0);
  assert.equal(countOf(away, 'WATCHDOG'), 0);
  assert.equal(countOf(away, 'EXTEND_TIMEOUT_USEC'), 200, 'the start is extended all the time');
  bridge.pbx = { ...bridge.pbx, state: 'up', connects: 1, failure: undefined };
  bridge.readStatus = async () => statusWith();
  const there = await pass(10, trying);
  assert.deepEqual(
    there.filter((notice) => 'READY' in notice).map(({ STATUS }) => STATUS),
    ['Asterisk 22.10.0 at 127.0.0.1:5038; 2 open calls, 11 delivered, 0 waiting'],
  );
});

const failures: readonly [AmiFailure, waits: boolean][] = [
  [refused, true],
  [{ kind: 'unreachable', detail: 'ENETUNREACH' }, true],
  [{ kind: 'unreachable', detail: 'EAI_AGAIN' }, true],
  [{ kind: 'unreachable', detail: 'ENOTFOUND' }, false],
  [{ kind: 'connect-timeout' }, true],
  [{ kind: 'tls', check: 'authority', detail: 'CERT_UNTRUSTED' }, false],
  [{ kind: 'not-asterisk', detail: 'it says "SSH-2.0"' }, false],
  [saysNothing, true],
  [{ kind: 'login-refused', detail: 'Authentication failed' }, false],
  [{ kind: 'no-reporting-class', detail: 'Permission denied' }, false],
  [{ kind: 'no-call-class' }, false],
  [{ kind: 'silent', detail: 'Login' }, true],
  [{ kind: 'lost', detail: 'closed' }, true],
];
for (const [failure, waits] of failures)
  test(`the start ${waits ? 'waits a minute' : 'is over at once'}: ${describeFailure(failure)}`, async (t) => {
    const { pass, trying } = startWith(t, failure);
    const soon = await pass(waits ? 59 : 1, trying);
    assert.equal(countOf(soon, 'READY'), waits ? 0 : 1);
    const notices = [...soon, ...(await pass(30, trying))];
    const [ready, ...more] = notices.filter((notice) => 'READY' in notice);
    const says = `not connected to Asterisk at 127.0.0.1:5038: ${describeFailure(failure)}. `;
    assert.ok(String(ready?.STATUS).startsWith(says), String(ready?.STATUS));
    assert.match(String(ready?.STATUS).slice(says.length), /^\w.*\. 2 open calls/, 'it says what to do');
    assert.deepEqual(more, []);
    assert.ok(countOf(notices, 'WATCHDOG') > 0);
  });

test('a Pong, a received byte and a connection attempt each feed the watchdog', async (t) => {
  const { bridge, pass, start, logged } = supervise(t);
  start();
  let count = 0;
  const progress = [{ lastPongAt: 0 }, { bytesIn: 0 }, { state: 'waiting', since: 0 }] as const;
  for (const sign of progress) {
    const key = Object.keys(sign).at(-1) as string;
    const beats = await pass(60, () => {
      bridge.pbx = { ...bridge.pbx, ...sign, [key]: count++ };
    });
    assert.equal(countOf(beats, 'WATCHDOG'), 12, `fed every 5 s by ${key}`);
  }
  assert.deepEqual(logged, []);
});

test('a link without progress stops the watchdog, and is logged once', async (t) => {
  const { pass, start, logged } = supervise(t);
  start();
  await pass(30);
  const starved = await pass(60);
  assert.equal(countOf(starved, 'WATCHDOG'), 0);
  assert.deepEqual(logged, ['systemd.standstill the link to Asterisk']);
});

for (const [what, hang] of [
  ['a batch that does not get onto the disk', (bridge) => Object.assign(bridge, { uncommittedSince: noon })],
  [
    'a storage thread that does not answer',
    (bridge) => Object.assign(bridge, { readStatus: () => new Promise(() => {}) }),
  ],
] as const satisfies [string, (bridge: ReturnType<typeof supervise>['bridge']) => unknown][])
  test(`${what} stops the watchdog, unless the disk is known to be full`, async (t) => {
    const { bridge, pass, start, logged } = supervise(t);
    start();
    let pongs = 0;
    const pong = () => {
      bridge.pbx = { ...bridge.pbx, lastPongAt: pongs++ };
    };
    hang(bridge);
    await pass(40, pong);
    assert.equal(countOf(await pass(60, pong), 'WATCHDOG'), 0);
    assert.deepEqual(logged, ['systemd.standstill the storage']);
    bridge.storage = { state: 'full' };
    await pass(5, pong);
    assert.equal(countOf(await pass(60, pong), 'WATCHDOG'), 12);
  });

test('a reload is notified before with its time, and after', async (t) => {
  const { notices, pass, start, reload } = supervise(t);
  start();
  await pass(5);
  notices.length = 0;
  reload(() => notices.push({ work: 1 }));
  assert.deepEqual(notices, [{ RELOADING: 1, MONOTONIC_USEC: 5_000_375 }, { work: 1 }, { READY: 1 }]);
});
