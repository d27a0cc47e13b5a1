import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type FakeApi, startFakeApi } from '../../../test/tools/fakes/fake-api.ts';
import { always, type Fault } from '../../../test/tools/fakes/fake-api-faults.ts';
import { createApiClient } from '../../shared/api/client.ts';
import type { Log } from '../../shared/log/log.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { type AgiOptions, createAgi, type LookupRequest, type NumberToLookUp, type Permit } from './agi.ts';
import { askAgi, callFrom, replyTo } from './agi-client.fixture.ts';
import { requestText } from './agi-request.fixture.ts';

const token = 'token-0123456789';
/** A time limit that no test reaches, however busy the machine. */
const ampleMs = 60_000;
const clock = {
  now: () => performance.now(),
  setTimer(callback: () => void, ms: number) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const gold = '+4940669690101';
const priorities: Record<string, unknown> = { [gold]: 10, '+4940669690102': 'silver', '+4940669690103': 5 };

const names: Record<string, unknown> = { [gold]: 'Zoë "Q" Weiß', '+4940669690108': 'Known, of no segment' };

const granted: Permit = ({ number }) => ({ number: normaliseNumber(number, 'DE') });

/** Lookups between a dialplan and an API, over TCP, in real time. */
async function standFor(
  t: TestContext,
  more: Partial<AgiOptions> & { deadlineMs?: number; permit?: Permit; neverCutOff?: boolean } = {},
) {
  const { deadlineMs = ampleMs, permit = granted, neverCutOff = false, ...options } = more;
  const fakeApi = await startFakeApi({
    token,
    priorityOf: (number) => priorities[number],
    nameOf: (number) => names[number],
  });
  const client = createApiClient({
    baseUrl: fakeApi.baseUrl,
    token,
    answerTimeoutMs: ampleMs,
    connections: 8,
  });
  const said: string[] = [];
  let port = 0;
  const log: Log = {
    say(code, fields) {
      said.push(code);
      if (code === 'agi.listening') port = Number(fields?.port);
    },
    child: () => log,
  };
  const agi = createAgi(
    {
      server: { host: '127.0.0.1', port: 0, allow: ['127.0.0.1'], deadlineMs },
      answer: { defaultPriority: '1', setQueuePrio: false, queuePrio: {} },
      fields: { priority: 'priority', name: 'name' },
      ...options,
    },
    {
      request: (number) => client.priority({ parameter: 'number', number }),
      permit,
      clock: {
        ...clock,
        setTimer: (callback, ms) =>
          neverCutOff && ms >= deadlineMs ? () => {} : clock.setTimer(callback, ms),
      },
      log,
    },
  );
  await agi.start();
  t.after(async () => {
    await agi.stop();
    await client.close();
    await fakeApi.close();
  });
  const ask = async (lines?: string) => (await askAgi(port, lines === undefined ? {} : { lines })).variables;
  return { fakeApi, agi, ask, said, port: () => port };
}

const answered = (priority: string, status: string) => ({
  CALLER_PRIORITY: priority,
  CALLER_PRIORITY_STATUS: status,
});
const numbersAsked = (fakeApi: FakeApi) => fakeApi.requests().map(({ payload }) => payload.number);

describe('a request for a script of another FastAGI server', () => {
  const rows: [string, string, string][] = [
    ["FreePBX's", requestText({ agi_network_script: 'dialparties.agi' }), 'dialparties.agi'],
    ['none', requestText({ agi_network_script: '', agi_request: 'agi://x' }), '(no name)'],
    [
      'with a number in its name',
      requestText({ agi_network_script: 'lookup/+4940669690101' }),
      'lookup/+494********01',
    ],
  ];
  for (const [name, lines, last] of rows)
    test(`${name}: sets nothing, sends no request, is logged and counted`, async (t) => {
      const { fakeApi, agi, said, port } = await standFor(t);
      assert.equal(agi.status().otherScripts, undefined);
      assert.deepEqual((await askAgi(port(), { lines })).commands, []);
      assert.deepEqual((await askAgi(port(), { lines: callFrom(gold) })).variables, answered('10', 'FOUND'));
      const { otherScripts, error } = agi.status();
      assert.deepEqual({ ...otherScripts, lastAt: 0 }, { count: 1, last, lastAt: 0 });
      assert.ok(Math.abs(Date.now() - (otherScripts?.lastAt ?? 0)) < 600_000);
      assert.equal(error, 0);
      assert.ok(said.includes('agi.unknown-script'));
      assert.deepEqual(numbersAsked(fakeApi), [gold]);
    });
});

describe('a number that must not leave the machine', () => {
  const rows: [string, NumberToLookUp | Promise<NumberToLookUp>, string, number][] = [
    ['is withheld', 'withheld', 'NOTFOUND', 0],
    ['is found to be withheld after a moment', Promise.resolve('withheld'), 'NOTFOUND', 0],
    ['may be withheld, and the PBX does not say in time', Promise.resolve('pending'), 'TIMEOUT', 0],
    ['is none: the PBX has said after a moment', Promise.resolve({ number: gold }), 'FOUND', 1],
    ['is none: there is no number', { number: '' }, 'NOTFOUND', 0],
    ['is of a call that REPORT_RULES ignores', { ignored: 'REPORT_RULES: ignore *' }, 'NOTFOUND', 0],
  ];
  for (const [name, permission, status, requests] of rows)
    test(name, async (t) => {
      const asked: Partial<LookupRequest>[] = [];
      const permit: Permit = ({ number, isOwn, uniqueid }, waitMs) => {
        assert.ok(waitMs > 0 && waitMs < ampleMs);
        asked.push({ number, isOwn, uniqueid });
        return permission;
      };
      const { fakeApi, ask } = await standFor(t, { permit });
      const lines = requestText({ agi_callerid: gold });
      assert.deepEqual(await ask(lines), answered(status === 'FOUND' ? '10' : '1', status));
      assert.deepEqual(asked, [{ number: gold, isOwn: true, uniqueid: '1763600000.1' }]);
      assert.equal(fakeApi.counts().requests, requests);
    });

  for (const [reply, presentation] of [
    ['200 result=1 (allowed_not_screened,,,allowed)', 'allowed'],
    ['200 result=1 (allowed_not_screened,prohib_not_screened,,allowed)', 'prohibited'],
    ['200 result=1 (allowed_not_screened,,prohib_passed_screen,allowed)', 'prohibited'],
    ['200 result=1 (allowed,,,prohib)', 'prohibited'],
    ['200 result=1 (prohib_not_screened,,,)', 'prohibited'],
    ['200 result=1 (unavailable,,,unavailable)', 'unavailable'],
    ['200 result=1 (,,,)', 'unknown'],
    ['200 result=0', 'unknown'],
    ['510 Invalid or unknown command', 'unknown'],
  ] as const)
    test(`is asked about at the call itself, which answers ${reply}`, async (t) => {
      const said: string[] = [];
      const permit: Permit = async (_, _waitMs, askCall) => {
        said.push(await askCall());
        return 'withheld' as const;
      };
      const { port } = await standFor(t, { permit });
      const { commands } = await askAgi(port(), {
        reply: (command) => (command.startsWith('GET') ? `${reply}\n` : replyTo(command)),
      });
      assert.deepEqual(said, [presentation]);
      assert.equal(
        commands[0],
        `GET FULL VARIABLE \${CALLERID(num-pres)},\${CALLINGNUMPRES_SV},\${CALLINGPRES_SV},\${CALLERID(ani-num-pres)}`,
      );
      assert.deepEqual(commands.slice(1), [
        'SET VARIABLE CALLER_PRIORITY 1',
        'SET VARIABLE CALLER_PRIORITY_STATUS NOTFOUND',
        'VERBOSE "pbx-bridge: caller priority 1 (NOTFOUND): the caller withholds the number" 1',
      ]);
    });

  test('is asked about at a call that does not answer: the dialplan goes on, and nothing is sent', async (t) => {
    const permit: Permit = (_, waitMs, askCall) =>
      Promise.race([
        askCall().then(() => ({ number: gold })),
        new Promise<'pending'>((resolve) => setTimeout(() => resolve('pending'), waitMs)),
      ]);
    const { fakeApi, port } = await standFor(t, { permit, deadlineMs: 2_000 });
    const { commands } = await askAgi(port(), { reply: () => undefined });
    assert.equal(commands.length, 1, 'the question');
    assert.equal(fakeApi.counts().requests, 0);
  });

  test('is not looked up, even where its priority is known', async (t) => {
    let permitted: NumberToLookUp = { number: gold };
    const { ask } = await standFor(t, { permit: () => permitted });
    assert.deepEqual(await ask(callFrom(gold)), answered('10', 'FOUND'));
    permitted = 'withheld';
    assert.deepEqual(await ask(callFrom(gold)), answered('1', 'NOTFOUND'));
  });
});

describe('the call continues whatever the API does', () => {
  const rows: [string, Fault, string][] = [
    ['too slow', { kind: 'slow', ms: 2_000 }, 'TIMEOUT'],
    ['resets before its answer', { kind: 'reset', when: 'before' }, 'ERROR'],
    ['speaks no HTTP', { kind: 'garbage' }, 'ERROR'],
    ['fails', { kind: 'status', status: 500 }, 'ERROR'],
    [
      'answers a second command',
      { kind: 'status', status: 200, body: '{"priority":"1\\nEXEC System(id)"}' },
      'ERROR',
    ],
    ['answers without end', { kind: 'huge', bytes: 2_000_000 }, 'ERROR'],
  ];
  for (const [name, fault, status] of rows)
    test(name, async (t) => {
      // A busy machine may need longer than the deadline to send an answer that came in time.
      const { fakeApi, ask } = await standFor(
        t,
        status === 'TIMEOUT' ? { deadlineMs: 800, neverCutOff: true } : {},
      );
      fakeApi.inject(always(fault));
      assert.deepEqual(await ask(callFrom(gold)), answered('1', status));
    });

  test('is not there', async (t) => {
    const { fakeApi, ask, said } = await standFor(t);
    await fakeApi.close();
    assert.deepEqual(await ask(callFrom(gold)), answered('1', 'ERROR'));
    assert.deepEqual(said, ['agi.listening', 'agi.lookup-failed']);
  });
});
