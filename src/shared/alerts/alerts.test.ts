import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../test/tools/until.ts';
import type { Log } from '../log/log.ts';
import type { Notice, Seen } from './alert-rules.ts';
import { createAlerts } from './alerts.ts';
import { problem } from './problem.ts';

const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
// A write that hung may end while the folder is removed.
after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
let files = 0;

/** Alerts with a target that accepts, refuses or hangs, and a clock. */
function scene(file = join(folder, `alerts-${files++}.json`)) {
  const sent: string[][] = [];
  const said: string[] = [];
  const log: Log = { say: (code) => void said.push(code), child: () => log };
  const state = {
    now: Date.UTC(2026, 10, 22, 9),
    seen: { problems: [] } as Seen,
    answer: async () => {},
  };
  const target = {
    name: 'mail to ops@example.com',
    async send(notices: readonly Notice[]) {
      await state.answer();
      sent.push(notices.map(({ code, state: what }) => `${code} ${what}`));
    },
  };
  const read = async () => state.seen;
  const alerts = createAlerts({ file, targets: [target], afterMs: 0 }, { read, log, now: () => state.now });
  return {
    file,
    state,
    sent,
    said,
    alerts,
    /** Looks, and waits until what was to be sent is sent, refused or under way for ever. */
    async check(ms = 10_000, done: () => boolean = () => true) {
      state.now += ms;
      await alerts.check();
      await until('what is to be sent', done, { state: () => sent });
    },
  };
}

const full = problem('storage', 'outbox.full', { directory: '/x', error: 'ENOSPC' });
const dead = problem('dead-letters', 'problem.dead-letters', { count: 2 });

describe('alerts', () => {
  test('a target that hangs keeps nothing from being watched', async () => {
    const it = scene();
    const answer = Promise.withResolvers<void>();
    it.state.answer = () => answer.promise;
    it.state.seen = { problems: [full] };
    await it.check();
    it.state.seen = { problems: [full, dead] };
    await it.check();
    assert.deepEqual(
      it.alerts.status().problems.map(({ code }) => code),
      ['outbox.full', 'problem.dead-letters'],
    );
    answer.resolve();
    await until('the second alert', () => it.check(0).then(() => it.sent.length === 2));
    assert.deepEqual(it.sent, [['outbox.full began'], ['problem.dead-letters began']]);
  });

  test('a look that fails, and a disk that takes nothing, are logged once', async () => {
    const it = scene('/nowhere/alerts.json');
    it.state.seen = { problems: [full] };
    await it.check(1, () => it.sent.length === 1);
    assert.ok(it.said.includes('alert.not-kept'));
    const failing = createAlerts(
      { file: it.file, targets: [], afterMs: 0 },
      {
        read: () => Promise.reject(new Error('closed')),
        log: { say: (code) => void it.said.push(code), child: () => assert.fail() },
        now: Date.now,
      },
    );
    await failing.check();
    await failing.check();
    assert.equal(it.said.filter((code) => code === 'alert.failed').length, 1);
  });

  test('a disk that hangs keeps no alert from being sent, and no program from stopping', async (t) => {
    const it = scene();
    // Opening a pipe that nobody reads hangs.
    const pipe = `${it.file}.new`;
    execFileSync('mkfifo', [pipe]);
    t.after(() => closeSync(openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)));
    it.state.seen = { problems: [full] };
    const checked = it.check(1, () => it.sent.length === 1);
    const late = wait(120_000, 'late', { ref: false });
    assert.notEqual(await Promise.race([checked, late]), 'late');
    it.state.seen = { problems: [full, dead] };
    assert.notEqual(await Promise.race([it.check(1, () => it.sent.length === 2), late]), 'late');
    assert.notEqual(await Promise.race([it.alerts.stop(), late]), 'late');
  });

  test('a damaged file is an empty one', async () => {
    const it = scene();
    writeFileSync(it.file, '{"watched":');
    const next = scene(it.file);
    next.state.seen = { problems: [full] };
    await next.check(1, () => next.sent.length === 1);
    assert.deepEqual(next.sent, [['outbox.full began']]);
    assert.match(readFileSync(it.file, 'utf8'), /outbox\.full/);
  });
});
