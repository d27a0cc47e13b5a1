import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResult } from '../../shared/api/result.ts';
import { callBackFindings } from './api-findings.ts';

const answer = (status: number, json: unknown): ApiResult => ({
  ...{ kind: 'answer', status, contentType: 'application/json', truncated: false, durationMs: 1 },
  body: JSON.stringify(json),
});
const found = (result: ApiResult, country?: string) =>
  callBackFindings(result, country).map(({ verdict, result: text }) => `${verdict}: ${text}`);

test('CALL_BACKS says how many numbers wait, and what it lacks', () => {
  const one = answer(200, { version: 'a', numbers: ['+4930901820'] });
  assert.deepEqual(found(one, 'DE'), ['ok: 1 number waits for a call back']);
  assert.deepEqual(found(one), [
    'ok: 1 number waits for a call back',
    'warning: without DEFAULT_COUNTRY only numbers that are dialled as +49... or 0049... are recognised',
  ]);
  for (const unknown of [answer(404, {}), answer(200, 'a page')])
    assert.match(found(unknown, 'DE').join(), /^warning: the service does not know it \(HTTP \d+\)$/);
  // The request for the history says so.
  assert.deepEqual(found(answer(401, {}), 'DE'), []);
  assert.deepEqual(found({ kind: 'failed', error: 'refused', detail: '', durationMs: 1 }, 'DE'), []);
});
