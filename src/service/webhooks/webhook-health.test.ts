import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextHealth, type WebhookAttempt, type WebhookHealth } from './webhook-health.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = 1_800_000_000_000;
const lastingMs = 3 * day;

/** A webhook that has failed for four days, tried all the time. */
const failing: WebhookHealth = { tryingSince: start, triedAt: start + 4 * day };
const fails: WebhookAttempt = {
  delivered: false,
  isGone: false,
  at: start + 4 * day,
  failingSince: start,
};

test('the first failure and the first success after it are saved', () => {
  const first = nextHealth(failing, { ...fails, failingSince: null }, lastingMs);
  assert.deepEqual(first.effect, { type: 'save', failingSince: fails.at });
  const arrives = { ...fails, delivered: true };
  assert.deepEqual(nextHealth(failing, arrives, lastingMs).effect, { type: 'save', failingSince: null });
  const again = nextHealth(failing, { ...arrives, failingSince: null }, lastingMs);
  assert.equal(again.effect, undefined);
});

test('410 switches it off at once', () => {
  const { effect } = nextHealth(failing, { ...fails, isGone: true, failingSince: null }, lastingMs);
  assert.deepEqual(effect, { type: 'switch-off', failure: 'gone' });
});

test('what fails for longer than days is switched off, after an hour of tries', () => {
  const off = { type: 'switch-off', failure: 'failing' };
  const at = (ms: number) => ({ ...fails, at: start + ms });
  const rows: [tryingSince: number, ms: number, effect: object | undefined][] = [
    [0, lastingMs, undefined],
    [0, lastingMs + 1, off],
    [lastingMs, lastingMs + hour - 1, undefined],
    [lastingMs, lastingMs + hour, off],
  ];
  for (const [trying, ms, effect] of rows) {
    const health = { tryingSince: start + trying, triedAt: start + ms - 1 };
    assert.deepEqual(nextHealth(health, at(ms), lastingMs).effect, effect, `${trying} ${ms}`);
  }
});

test('a day without a request, or a clock that was set, starts the tries again', () => {
  for (const pause of [day + 1, -day - 1]) {
    const health = { tryingSince: start, triedAt: fails.at - pause };
    const next = nextHealth(health, fails, lastingMs);
    assert.deepEqual(next, { health: { tryingSince: fails.at, triedAt: fails.at } }, String(pause));
  }
});
