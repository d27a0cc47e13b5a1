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

/** What is made of a status with a right body. */
function verdictOf(status: number): Verdict {
  if (status >= 200 && status <= 299) return 'delivered';
  if (status === 429) return 'hold';
  if (status < 200 || status >= 500 || [408, 423, 425].includes(status)) return 'retry';
  if (status < 400 || [401, 402, 403, 404, 405, 407, 421, 426, 431, 451].includes(status)) return 'pause';
  return 'reject';
}

test('every status from 100 to 599 is delivered, tried again, held, or the event or the token is at fault', () => {
  for (let status = 100; status <= 599; status++) {
    const verdict = verdictOf(status);
    const classified = classify(answer(status), now);
    assert.equal(classified.verdict, verdict, String(status));
    if (verdict === 'delivered') assert.equal(classified.reason, '');
    else assert.ok(classified.reason.startsWith(`${status}: `), classified.reason);
    assert.ok(!classified.noConnection, 'an answer came over a connection');
  }
  assert.match(classify(answer(400), now).reason, /cannot read the event/, 'in its own words');
});

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
