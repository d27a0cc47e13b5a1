import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Log } from '../log/log.ts';
import { noon, statusWith } from './bridge-status.fixture.ts';
import { createSupervisor, type Notice, openServiceManager, type Signs, statusLine } from './systemd.ts';

/** A supervisor whose clock stands still but when told, over a bridge that is what the test says. */
function supervise(t: TestContext, signs: Partial<Signs['pbx']> = {}, watchdogMs?: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const notices: Notice[] = [];
  const said: string[] = [];
  const log: Log = { say: (code, fields) => void said.push(`${code} ${fields?.part}`), child: () => log };
  const bridge = {
    pbx: { state: 'up', since: noon, lastPongAt: noon, bytesIn: 0, connects: 1, ...signs } as Signs['pbx'],
    storage: { state: 'working' } as Signs['storage'],
    uncommittedSince: undefined as number | undefined,
    read: async () => statusWith(),
  };
  let ms = 0;
  const supervisor = createSupervisor({
    tell: (notice) => notices.push(notice),
    look: () => bridge,
    read: () => bridge.read(),
    log,
    watchdogMs,
    monotonic: () => ms,
    now: () => noon + ms,
  });
  return {
    bridge,
    said,
    ...supervisor,
    /** Lets time pass in steps of a quarter of a second; gives what was told meanwhile. */
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

const told = (notices: Notice[], name: string) => notices.filter((notice) => name in notice).length;

test('ready once the channels were read for the first time, not before, and only once', async (t) => {
  const { bridge, pass, start } = supervise(t, { state: 'waiting', connects: 0 });
  start();
  let attempts = 0;
  const trying = () => {
    bridge.pbx = { ...bridge.pbx, since: noon + attempts++ };
  };
  const away = await pass(120, trying);
  assert.equal(told(away, 'READY'), 0);
  assert.equal(told(away, 'WATCHDOG'), 0);
  assert.ok(told(away, 'EXTEND_TIMEOUT_USEC') > 400, 'the start is prolonged all the time');
  bridge.pbx = { ...bridge.pbx, state: 'up', connects: 1 };
  const there = await pass(10, trying);
  assert.equal(told(there, 'READY'), 1);
  assert.match(String(there.at(-1)?.STATUS), /^Asterisk 22\.10\.0 at 127\.0\.0\.1:5038; 2 calls open/);
});

test('a Pong, a byte, or another try to connect is life; the watchdog is fed by each', async (t) => {
  const { bridge, pass, start, said } = supervise(t);
  start();
  let count = 0;
  const signsOfLife = [{ lastPongAt: 0 }, { bytesIn: 0 }, { state: 'waiting', since: 0 }] as const;
  for (const sign of signsOfLife) {
    const key = Object.keys(sign).at(-1) as string;
    const beats = await pass(60, () => {
      bridge.pbx = { ...bridge.pbx, ...sign, [key]: count++ };
    });
    assert.equal(told(beats, 'WATCHDOG'), 12, `fed every 5 s by ${key}`);
  }
  assert.deepEqual(said, []);
});

test('a watchdog that wants to hear more often is fed four times as often as that', async (t) => {
  const { pass, start } = supervise(t, {}, 4_000);
  start();
  assert.equal(told(await pass(20), 'WATCHDOG'), 20);
});

test('a link that stands still starves the watchdog, and says so once', async (t) => {
  const { pass, start, said } = supervise(t);
  start();
  await pass(30);
  const starved = await pass(60);
  assert.equal(told(starved, 'WATCHDOG'), 0);
  assert.deepEqual(said, ['systemd.standstill the link to Asterisk']);
});

test('a start that hangs is not prolonged', async (t) => {
  const { pass, start } = supervise(t, { state: 'connecting', connects: 0 });
  start();
  await pass(30);
  assert.equal(told(await pass(30), 'EXTEND_TIMEOUT_USEC'), 0);
});

for (const [what, hang] of [
  ['a batch that does not get onto the disk', (bridge) => Object.assign(bridge, { uncommittedSince: noon })],
  [
    'a storage thread that does not answer',
    (bridge) => Object.assign(bridge, { read: () => new Promise(() => {}) }),
  ],
] as const satisfies [string, (bridge: ReturnType<typeof supervise>['bridge']) => unknown][])
  test(`${what} starves the watchdog, unless it is known that the disk is full`, async (t) => {
    const { bridge, pass, start, said } = supervise(t);
    start();
    let pongs = 0;
    const pong = () => {
      bridge.pbx = { ...bridge.pbx, lastPongAt: pongs++ };
    };
    hang(bridge);
    await pass(40, pong);
    assert.equal(told(await pass(60, pong), 'WATCHDOG'), 0);
    assert.deepEqual(said, ['systemd.standstill the storage']);
    bridge.storage = { state: 'full' };
    await pass(5, pong);
    assert.equal(told(await pass(60, pong), 'WATCHDOG'), 12);
  });

test('a reload is told with its time, its end, and what it did in between', async (t) => {
  const { notices, pass, start, reload } = supervise(t);
  start();
  await pass(5);
  notices.length = 0;
  reload(() => notices.push({ work: 1 }));
  assert.deepEqual(notices, [{ RELOADING: 1, MONOTONIC_USEC: 5_000_000 }, { work: 1 }, { READY: 1 }]);
});

test('a reload before the PBX was read does not make it ready', async (t) => {
  const { notices, start, reload } = supervise(t, { connects: 0 });
  start();
  reload(() => {});
  assert.equal(told(notices, 'READY'), 0);
});

test('a stop is told, and nothing after it', async (t) => {
  const { notices, pass, start, stop } = supervise(t);
  start();
  await pass(5);
  stop();
  assert.equal(notices.at(-1)?.STOPPING, 1);
  assert.deepEqual(await pass(20), []);
});

test('the status line names the trouble, and what waits', () => {
  assert.equal(
    statusLine(statusWith()),
    'Asterisk 22.10.0 at 127.0.0.1:5038; 2 calls open, 11 delivered, 0 waiting',
  );
  const trouble = statusWith({
    pbx: { state: 'waiting', failure: 'login refused\n(Authentication failed)' },
    outbox: { waiting: 7, dead: 1 },
  });
  assert.equal(
    statusLine(trouble),
    'no link to Asterisk at 127.0.0.1:5038: login refused\\x0a(Authentication failed); 2 calls open, 11 delivered, 7 waiting, 1 dead letters',
  );
});

test('started by hand, nobody is told; a manager that takes nothing is said once, not at every beat', async () => {
  const said: string[] = [];
  const log: Log = { say: (code) => void said.push(code), child: () => log };
  assert.equal(await openServiceManager(undefined, log), undefined);
  const tell = await openServiceManager('/nobody/listens/here', log);
  tell?.({ READY: 1 });
  tell?.({ WATCHDOG: 1 });
  assert.deepEqual(said, ['systemd.notify-failed']);
});
