import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DecisionKey, decisions } from '../../src/shared/api/contract/decisions.ts';
import { event, serve } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { eventRows } from './service-document-events.ts';
import { readRows } from './service-document-reads.ts';
import { says } from './service-document-row.ts';

const rows = [...eventRows, ...readRows];

test('the document, sentence by sentence', async (t) => {
  const service = await serve(t);
  for (const { name, proof } of rows) await t.test(name, () => proof(service));
});

test('a rate limit counts each integration for itself, and its refusals are in the history [rate-limit]', async (t) => {
  const { a, ask, post } = await serve(t, { requestsPerMinute: 3 });
  for (const remaining of ['2', '1', '0']) {
    const { status, headers } = await ask('/voice/priority?number=110', a);
    assert.deepEqual(
      [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']],
      [200, '3', remaining],
    );
  }
  const answer = await post(a.token, event());
  says(answer, 429);
  const wait = Number(answer.headers['retry-after']);
  assert.ok(wait > 0 && wait <= 60);
  assert.ok(Math.abs(Number(answer.headers['x-ratelimit-reset']) - Date.now() / 1000 - wait) <= 2);
  const { json } = await ask('/voice?sort=-created_at&limit=1', { token: a.secondToken });
  const [last] = (json as { data: { status: number; request: string }[] }).data;
  assert.deepEqual([last?.status, last?.request], [429, '']);
});

test('requests over a limit fill neither the history nor the log', async (t) => {
  const service = await serve(t, { requestsPerMinute: 3 });
  const { a, ask } = service;
  const refusedBy = async (token: string, times: number) => {
    const statuses = [];
    for (let n = 0; n < times; n += 1)
      statuses.push((await ask(`/voice/priority?number=${n}&x=${'x'.repeat(10_000)}`, { token })).status);
    return statuses.filter((status) => status === 429).length;
  };
  assert.equal(await refusedBy(a.token, 13), 10);
  assert.equal(await refusedBy(a.secondToken, 8), 5);
  const entries = await withStore(service, async (store) => {
    const { chunks } = await store.requests.page({ account: 1, order: 'oldest', offset: 0, limit: 100 });
    return (await Array.fromAsync(chunks)).flat();
  });
  const refused = entries.filter(({ status }) => status === 429);
  assert.deepEqual(
    refused.map(({ integration, request }) => [integration, String(request).length]),
    [
      [1, 2_048],
      [2, 2_048],
    ],
    'one of each integration, with the beginning of its address',
  );
  assert.equal(entries.length, 2 * 3 + 2);
});

test('every decision of the contract is proved by a row', () => {
  const proved = new Set([...rows.map(({ decision }) => decision), 'not-stored']);
  assert.deepEqual(
    Object.keys(decisions).filter((key) => !proved.has(key as DecisionKey)),
    [],
  );
});
