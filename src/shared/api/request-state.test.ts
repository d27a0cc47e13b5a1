import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRequest, type RequestEffect, type RequestInput, type RequestState } from './request-state.ts';

const rules = { maxBytes: 8, redact: (text: string) => text.replaceAll('secret', '[token]') };

/** Runs these inputs, each 10 ms after the one before; the request begins at 0. */
function run(...inputs: RequestInput[]) {
  let state: RequestState = { phase: 'connecting', startedAt: 0 };
  const effects: RequestEffect[] = [];
  inputs.forEach((input, nth) => {
    const next = nextRequest(state, input, (nth + 1) * 10, rules);
    state = next.state;
    effects.push(...next.effects);
  });
  return { state, effects };
}

const sent: RequestInput = { type: 'sent' };
const timeout: RequestInput = { type: 'timeout' };
const end: RequestInput = { type: 'end' };
const headers = (status: number, of = {}): RequestInput => ({ type: 'headers', status, headers: of });
const data = (text: string): RequestInput => ({ type: 'data', chunk: Buffer.from(text) });

test('an answer is its status, its headers and its whole body, timed from the first byte sent', () => {
  const { state, effects } = run(
    sent,
    headers(103),
    headers(201, { 'content-type': ['a/b', 'c'], date: 'today', 'retry-after': '3' }),
    data('\ufeffon'),
    data('e'),
    end,
  );
  const result = {
    kind: 'answer',
    status: 201,
    contentType: 'a/b',
    retryAfter: '3',
    date: 'today',
    body: 'one',
    truncated: false,
    durationMs: 50,
  };
  assert.deepEqual(effects, [{ type: 'await-answer' }, { type: 'result', result }]);
  assert.deepEqual(state, { phase: 'over' });
});

test('a body that is too long is cut, and the rest is not read', () => {
  const { effects } = run(sent, headers(200), data('12345678'), data('9'), data('10'), end);
  const [, result, abort, ...more] = effects;
  assert.ok(result?.type === 'result' && result.result.kind === 'answer');
  assert.deepEqual([result.result.body, result.result.truncated], ['12345678', true]);
  assert.deepEqual([abort, more], [{ type: 'abort', reason: 'answer too long' }, []]);
});

test('what takes too long is named, and broken off', () => {
  const rows: [inputs: RequestInput[], error: string][] = [
    [[timeout], 'timeout-connect'],
    [[sent, timeout], 'timeout-headers'],
    [[sent, headers(100), timeout], 'timeout-headers'],
    [[sent, headers(200), data('1'), timeout], 'timeout-body'],
  ];
  for (const [inputs, error] of rows) {
    const [result, abort] = run(...inputs).effects.slice(-2);
    assert.ok(result?.type === 'result' && result.result.kind === 'failed');
    assert.equal(result.result.error, error);
    assert.match(result.result.detail, /^gave up after \d0 ms$/);
    assert.deepEqual(abort, { type: 'abort', reason: 'timeout' });
  }
});

test('a connection that comes after all that is not used', () => {
  assert.deepEqual(run(timeout, sent, headers(200), end).effects.slice(2), [
    { type: 'abort', reason: 'timeout' },
  ]);
});

test('no text of an error, a redirect or a refusal has the token', () => {
  const error = Object.assign(new Error('secret refused'), { code: 'ECONNREFUSED' });
  const [failure] = run({ type: 'error', error }).effects;
  assert.ok(failure?.type === 'result' && failure.result.kind === 'failed');
  assert.deepEqual([failure.result.error, failure.result.detail], ['refused', '[token] refused']);

  const refused = run(sent, headers(302, { location: '/secret' }), data('secret'), end).effects.at(-1);
  assert.ok(refused?.type === 'result' && refused.result.kind === 'answer');
  assert.deepEqual([refused.result.location, refused.result.body], ['/[token]', '[token]']);
});
