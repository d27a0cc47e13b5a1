import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyAnswer } from './classify-answer.ts';

const answer = (status: number, retryAfter?: string) =>
  classifyAnswer(
    {
      kind: 'answer',
      status,
      contentType: '',
      body: '',
      truncated: false,
      durationMs: 1,
      ...(retryAfter !== undefined && { retryAfter }),
    },
    0,
  );

test('every 2xx is a success, whatever it says; other answers are refusals of the event, or troubles that pass', () => {
  const expected = {
    delivered: [200, 201, 202, 204, 299],
    reject: [400, 413, 415, 422],
    retry: [408, 409, 425, 500, 502, 503, 599],
    hold: [429],
    pause: [301, 302, 307, 308, 401, 403, 404, 405, 410, 418],
  };
  for (const [verdict, statuses] of Object.entries(expected))
    for (const status of statuses) assert.equal(answer(status).verdict, verdict, `${status}`);
  assert.equal(answer(503, '7').retryAfterMs, 7_000);
  assert.equal(answer(404, '7').retryAfterMs, undefined);
  assert.equal(answer(302).reason, '302: a redirect, which is not followed');
});

test('without an answer it is tried again', () => {
  const { verdict, noConnection } = classifyAnswer(
    { kind: 'failed', error: 'refused', detail: '', durationMs: 1 },
    0,
  );
  assert.deepEqual([verdict, noConnection], ['retry', true]);
});
