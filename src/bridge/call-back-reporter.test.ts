import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callBackOutcomeSchema } from '../shared/api/contract/bridge-call-backs.ts';
import type { ApiResult } from '../shared/api/result.ts';
import type { Log } from '../shared/log/log.ts';
import { createTestClock } from '../shared/process/test-clock.fixture.ts';
import { createCallBackReporter } from './call-back-reporter.ts';
import type { Effect } from './calls/effect.ts';
import type { Dialled, Input } from './calls/input.ts';
import { callSettings } from './calls/rules.fixture.ts';
import { createRules } from './calls/rules.ts';
import { at, created, hangsUp, missed } from './calls/tracker.fixture.ts';
import { createTracker } from './calls/tracker.ts';

const number = '+31209876543';
const answer = (status: number, json: object | string): ApiResult => ({
  ...{ kind: 'answer', status, contentType: 'application/json', truncated: false, durationMs: 1 },
  body: typeof json === 'string' ? json : JSON.stringify(json),
});
const list = (...numbers: string[]) => answer(200, { version: numbers.join() || 'none', numbers });

/** A reporter whose questions are answered with `says.list`, and its reports with `says.report`. */
function start() {
  const clock = createTestClock();
  const tracker = createTracker(createRules(callSettings), { calls: [], trunks: [] });
  const says = { list: list(number), report: answer(200, { taken: true }) };
  /** What was sent, and at what second. */
  const sent: string[] = [];
  const said: string[] = [];
  const log: Log = {
    say: (code, fields) => said.push(`${code} ${JSON.stringify(fields ?? {})}`),
    child: () => log,
  };
  const second = () => Math.floor(clock.now() / 1_000);
  const client = {
    waitingNumbers: async (known: string | undefined) => {
      sent.push(`${second()} asks${known === undefined ? '' : ` since ${known}`}`);
      return says.list;
    },
    reportCallBack: async (body: string) => {
      const { id, number, ended_ago, talked, by } = callBackOutcomeSchema.parse(JSON.parse(body));
      sent.push(`${second()} ${id} ${number} ${talked ?? 'unreached'} by ${by}, ${ended_ago} s ago`);
      return says.report;
    },
  };
  const reporter = createCallBackReporter(tracker.state, { client, clock, log });
  const hear = (input: Input, effects: readonly Effect[] = []) => {
    tracker.apply(input);
    reporter.observe(input, effects);
  };
  const advance = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
  };
  /** A phone calls a number, and nobody answers. */
  const calls = (nth: number, to = '0209876543') => {
    const phone = { ...created(`5.${nth}`, `PJSIP/1001-0000000${nth}`, 4), linkedid: `5.${nth}` };
    const leg = { ...created(`6.${nth}`, `PJSIP/out-0000000${nth}`), linkedid: `5.${nth}` };
    const dialled: Dialled = {
      type: 'dialled',
      at,
      uniqueid: leg.uniqueid,
      dialString: `${to}@out`,
      by: phone.uniqueid,
    };
    for (const input of [phone, leg, dialled, hangsUp(leg), hangsUp(phone)]) hear(input);
  };
  return { clock, says, sent, said, reporter, hear, advance, calls };
}

const unreached = (second: number, nth: number, ago = 0) =>
  `${second} pbx-6.${nth} ${number} unreached by 1001, ${ago} s ago`;

test('it asks each half minute, and sooner after a missed call, for what has changed', async () => {
  const { reporter, advance, sent, says, hear } = start();
  reporter.start();
  await advance(31_000);
  assert.deepEqual(sent, ['0 asks', `30 asks since ${number}`]);
  says.list = answer(200, { version: number });
  const report = { ...missed, type: 'report', at, id: 'a', extras: {} } as const;
  for (let nth = 0; nth < 5; nth += 1) hear({ type: 'tick', at }, [report]);
  await advance(4_000);
  hear({ type: 'tick', at }, [{ ...report, callerId: '1001' }]);
  await advance(4_000);
  assert.deepEqual(sent.slice(2), [`34 asks since ${number}`]);
  assert.deepEqual(reporter.status(), { state: 'ok', waiting: 1, reported: 0 });
});

test('a call to a number that waits is told at once, after the question whether it still waits; another is not', async () => {
  const { reporter, advance, sent, calls, said, says } = start();
  calls(1);
  reporter.start();
  await advance(10_000);
  calls(2, '0201112223');
  calls(3);
  await advance(2_000);
  assert.deepEqual(sent, ['0 asks', `10 asks since ${number}`, unreached(10, 3)]);
  assert.deepEqual(said, [`callback.reported ${JSON.stringify({ number, by: '1001', reached: false })}`]);
  assert.equal(reporter.status().reported, 1);
  says.list = list();
  calls(4);
  await advance(20_000);
  assert.deepEqual(sent.slice(3), [`13 asks since ${number}`], 'somebody pressed Done in the meantime');
});

test('who was just missed is called back at once: followed from then on, told when the service has it on its list', async () => {
  const report = { ...missed, from: number, type: 'report', at, id: 'a', extras: {} } as const;
  const { reporter, advance, sent, says, hear, calls } = start();
  says.list = list();
  reporter.start();
  await advance(10_000);
  hear({ type: 'tick', at }, [report]);
  await advance(500);
  calls(1);
  await advance(1_000);
  assert.deepEqual(sent.slice(1), ['10 asks since none'], 'not on the list yet');
  says.list = list(number);
  await advance(3_000);
  assert.deepEqual(sent.slice(2), ['13 asks since none', unreached(13, 1, 3)]);
  // Not on the list when it had to be: it does not wait.
  says.list = list();
  hear({ type: 'tick', at }, [report]);
  await advance(10_000);
  sent.length = 0;
  calls(2);
  await advance(10_000);
  assert.doesNotMatch(sent.join(), /unreached|asks since none,.*asks since none/);
  // The service is not there.
  says.list = answer(503, {});
  hear({ type: 'tick', at }, [report]);
  await advance(40_000);
  calls(3);
  says.list = list(number);
  await advance(40_000);
  assert.equal(sent.filter((one) => /unreached/.test(one)).length, 1);
  // Nor for ever.
  says.list = answer(503, {});
  await advance(60_000);
  hear({ type: 'tick', at }, [{ ...report, from: '+31201112223' }]);
  await advance(610_000);
  says.list = list('+31201112223');
  sent.length = 0;
  calls(4, '0201112223');
  await advance(10_000);
  assert.doesNotMatch(sent.join(), /unreached/);
});

test('what is not taken is told again for ten minutes; what is refused is not', async () => {
  const { reporter, advance, sent, calls, says } = start();
  reporter.start();
  await advance(10_000);
  says.report = { kind: 'failed', error: 'refused', detail: '', durationMs: 1 };
  calls(1);
  await advance(31_000);
  assert.deepEqual(sent.slice(1), [
    `10 asks since ${number}`,
    unreached(10, 1),
    `40 asks since ${number}`,
    unreached(40, 1, 30),
  ]);
  assert.equal(reporter.status().state, 'failed');
  await advance(600_000);
  sent.length = 0;
  await advance(60_000);
  assert.doesNotMatch(sent.join(), /unreached/);
  says.report = answer(422, {});
  calls(2);
  await advance(40_000);
  assert.equal(sent.filter((one) => /unreached/.test(one)).length, 1);
  says.report = answer(200, { taken: false });
  calls(3);
  await advance(40_000);
  assert.deepEqual([reporter.status().state, reporter.status().reported], ['ok', 0]);
});

test('a service that does not know the question is asked after an hour, whatever happens; said once', async () => {
  const { reporter, advance, sent, calls, says, said, hear } = start();
  says.list = answer(404, {});
  reporter.start();
  await advance(10_000);
  hear({ type: 'tick', at }, [{ ...missed, type: 'report', at, id: 'a', extras: {} }]);
  calls(1);
  await advance(3_580_000);
  assert.deepEqual(sent, ['0 asks']);
  says.list = answer(200, '<html>');
  await advance(20_000);
  assert.deepEqual(sent.slice(1), ['3600 asks']);
  assert.deepEqual([reporter.status().state, said], ['unknown', ['callback.unknown {}']]);
});

test('a proxy that answers for a service which restarts is no service that does not know the question', async () => {
  const { reporter, advance, sent, calls, says } = start();
  reporter.start();
  await advance(10_000);
  for (const wrong of [answer(404, {}), answer(200, '<html>')]) {
    says.list = wrong;
    calls(1);
    await advance(31_000);
    assert.equal(reporter.status().state, 'failed');
  }
  says.list = answer(200, { version: number, numbers: ['+4930901820'] });
  sent.length = 0;
  await advance(31_000);
  assert.match(sent.join(), /asks/);
  assert.equal(reporter.status().state, 'ok');
});

test('numbers that could not be asked for during ten minutes wait no more', async () => {
  const { reporter, advance, sent, calls, says } = start();
  reporter.start();
  await advance(10_000);
  says.list = answer(503, {});
  await advance(620_000);
  says.list = answer(200, { version: number });
  calls(1);
  await advance(60_000);
  assert.doesNotMatch(sent.join(), /unreached/);
});

test('a list that the service takes for known, and that is not, is asked for again; none after it is stopped', async () => {
  const { reporter, advance, sent, says, clock } = start();
  says.list = answer(200, { version: 'other' });
  reporter.start();
  await advance(31_000);
  assert.deepEqual(sent, ['0 asks', '30 asks']);
  reporter.stop();
  await advance(60_000);
  assert.deepEqual([sent.length, clock.timers()], [2, 0]);
});
