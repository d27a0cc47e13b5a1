import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyError } from 'fastify';
import type { Log } from '../../shared/log/log.ts';
import { StoreUnavailable, TookTooLong } from '../../shared/storage/storage-error.ts';
import { Refusal, refusalOf } from './refusal.ts';

/** What an error answers, and what is logged about it. */
function answerTo(error: unknown) {
  const logged: string[] = [];
  const log: Log = { say: (code) => void logged.push(code), child: () => log };
  const { status, body } = refusalOf(error as FastifyError, { id: 'a', routeOptions: { url: '/x' } }, log);
  return { status, message: body.message, logged };
}

test('a refusal says why, whatever its status, and is no fault', () => {
  for (const status of [404, 429, 503])
    assert.deepEqual(answerTo(new Refusal(status, 'Not now.')), { status, message: 'Not now.', logged: [] });
  assert.equal(answerTo(new StoreUnavailable('gone')).status, 503);
  assert.deepEqual(answerTo(new StoreUnavailable('gone')).logged, []);
  for (const error of [{ errcode: 13 }, { errcode: 778 }, { errcode: 5 }, { code: 'ENOSPC' }])
    assert.equal(answerTo(Object.assign(new Error('gone'), error)).status, 503);
});

test('a timeout is distinguished from storage that is away', () => {
  const { status, message, logged } = answerTo(new TookTooLong('canceling statement'));
  assert.deepEqual([status, logged], [503, []]);
  assert.match(message, /took too long/);
});

test('a fault is logged and gives no details', () => {
  assert.deepEqual(answerTo(new Error('secret')), {
    status: 500,
    message: 'Server Error',
    logged: ['service.failed'],
  });
});
