import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiAnswer, type ApiErrorKind, apiErrorKinds } from '../api/result.ts';
import { classify, parseRetryAfter, type Verdict } from './classify.ts';
import { longestWaitMs } from './queue.ts';

const now = Date.UTC(2026, 10, 20, 6, 0, 0);
const right = JSON.stringify({ result: 'x'.repeat(48) });

function answer(status: number, more: Partial<ApiAnswer> = {}): ApiAnswer {
  return {
    kind: 'answer',
    status,
    contentType: 'application/json',
    body: right,
    truncated: false,
    durationMs: 1,
    ...more,
  };
}

/** Every status from 100 to 599 with a right body, as ranges. */
const byStatus: readonly [from: number, to: number, Verdict][] = [
  [100, 199, 'retry'],
  [200, 299, 'delivered'],
  [300, 399, 'pause'],
  [400, 400, 'reject'],
  [401, 401, 'pause'],
  [402, 405, 'pause'],
  [406, 406, 'reject'],
  [407, 407, 'pause'],
  [408, 408, 'retry'],
  [409, 420, 'reject'],
  [421, 421, 'pause'],
  [422, 422, 'reject'],
  [423, 423, 'retry'],
  [424, 424, 'reject'],
  [425, 425, 'retry'],
  [426, 426, 'pause'],
  [427, 428, 'reject'],
  [429, 429, 'hold'],
  [430, 430, 'reject'],
  [431, 431, 'pause'],
  [432, 450, 'reject'],
  [451, 451, 'pause'],
  [452, 499, 'reject'],
  [500, 599, 'retry'],
];

test('the table of statuses leaves none out', () => {
  assert.deepEqual(
    byStatus.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n)),
    Array.from({ length: 500 }, (_, n) => 100 + n),
  );
});

for (const [from, to, verdict] of byStatus) {
  test(`${from === to ? from : `${from} to ${to}`}: ${verdict}`, () => {
    for (let status = from; status <= to; status++) {
      const classified = classify(answer(status), now);
      assert.equal(classified.verdict, verdict, String(status));
      if (verdict === 'delivered') assert.equal(classified.reason, '');
      else assert.ok(classified.reason.startsWith(`${status}: `), classified.reason);
      assert.ok(!classified.noConnection, 'an answer came over a connection');
    }
  });
}

const byError: Readonly<Record<ApiErrorKind, boolean>> = {
  refused: true,
  unreachable: true,
  dns: true,
  'timeout-connect': true,
  tls: true,
  proxy: true,
  'timeout-headers': false,
  'timeout-body': false,
  reset: false,
  protocol: false,
  closed: false,
  unknown: false,
};

for (const [error, noConnection] of Object.entries(byError) as [ApiErrorKind, boolean][]) {
  test(`${error}: retry, ${noConnection ? 'no event can be at fault' : 'the event may be at fault'}`, () => {
    const failure = { kind: 'failed', error, detail: 'said so', durationMs: 1 } as const;
    assert.deepEqual(classify(failure, now), {
      verdict: 'retry',
      reason: `${apiErrorKinds[error]} (said so)`,
      noConnection,
    });
  });
}

const bodies: readonly [name: string, Partial<ApiAnswer>, Verdict, RegExp][] = [
  ['the right body', {}, 'delivered', /^$/],
  ['a result of another length', { body: '{"result":"short"}' }, 'delivered', /^$/],
  ['more fields', { body: '{"result":"x","more":1}' }, 'delivered', /^$/],
  ['no content type', { contentType: '' }, 'delivered', /^$/],
  [
    'a sign-in page',
    { contentType: 'text/html; charset=UTF-8', body: '<html>' },
    'retry',
    /a page instead of JSON/,
  ],
  ['a page that says it is JSON', { body: ' \n<!doctype html>' }, 'retry', /a page instead of JSON/],
  ['JSON that says it is a page', { contentType: 'TEXT/HTML' }, 'delivered', /^$/],
  ['JSON that says it is text', { contentType: 'text/plain' }, 'delivered', /^$/],
  ['other JSON that says it is a page', { contentType: 'text/html', body: '{}' }, 'retry', /a page instead/],
  ['nothing', { body: '' }, 'retry', /not the API's own answer/],
  ['half of it', { body: right.slice(0, 20) }, 'retry', /not the API's own answer/],
  ['null', { body: 'null' }, 'retry', /not the API's own answer/],
  ['a list', { body: '[]' }, 'retry', /not the API's own answer/],
  ['a text', { body: '"result"' }, 'retry', /not the API's own answer/],
  ['no result', { body: '{}' }, 'retry', /not the API's own answer/],
  ['a result that is no text', { body: '{"result":true}' }, 'retry', /not the API's own answer/],
  ['an answer that was cut', { truncated: true }, 'retry', /too long/],
];

for (const [name, more, verdict, reason] of bodies) {
  test(`2xx with ${name}: ${verdict}`, () => {
    for (const status of [200, 201, 202, 204, 299]) {
      const classified = classify(answer(status, more), now);
      assert.equal(classified.verdict, verdict);
      assert.match(classified.reason, reason);
    }
  });
}

test('the reason quotes where a redirect goes and what the API says, in one line', () => {
  assert.match(
    classify(answer(302, { location: '/login', body: '' }), now).reason,
    /^302 to \/login: a redirect/,
  );
  const body = JSON.stringify({ message: 'The from field\n\u001b\u202e is required.', errors: {} });
  assert.equal(
    classify(answer(422, { body }), now).reason,
    '422: the API finds the event invalid ("The from field is required.")',
  );
  const long = classify(answer(500, { body: JSON.stringify({ message: 'x'.repeat(10_000) }) }), now).reason;
  assert.ok(long.length < 300);
});

const waits: readonly [string | undefined, number | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['0', 0],
  ['7', 7_000],
  [' 30 ', 30_000],
  ['61', longestWaitMs],
  ['99999999999999999999', longestWaitMs],
  ['Fri, 20 Nov 2026 06:00:10 GMT', 10_000],
  ['Fri, 20 Nov 2026 05:00:00 GMT', 0],
  ['Fri, 20 Nov 2099 06:00:00 GMT', longestWaitMs],
];

for (const [value, expected] of waits) {
  test(`Retry-After ${JSON.stringify(value)}: ${expected}`, () => {
    assert.equal(parseRetryAfter(value, now), expected);
  });
}

test('Retry-After counts where the answer is about time, not where it is about the event or the token', () => {
  for (const status of [408, 425, 429, 500, 503]) {
    assert.equal(classify(answer(status, { retryAfter: '7' }), now).retryAfterMs, 7_000, String(status));
  }
  for (const status of [200, 302, 401, 404, 422]) {
    assert.equal(classify(answer(status, { retryAfter: '7' }), now).retryAfterMs, undefined, String(status));
  }
});
