import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallFacts, countCalls } from '../calls/aggregate.ts';
import type { Span } from '../kit/calendar.ts';
import { createFigureCache } from './figure-cache.ts';

const HOUR = 3_600_000;
const day: Span = { since: 0, until: 24 * HOUR };

/** An engine over calls in memory, that reports what was counted and cached. */
function scene() {
  const calls: CallFacts[] = [];
  const cached = new Map<string, { mark: number; figures: string | null; span: Span }>();
  const counted: Span[] = [];
  let meanwhile = () => {};
  const ring = (startedAt: number) => {
    calls.push({
      status: 'ringing',
      segment: null,
      callerId: null,
      startedAt,
      integration: 1,
      ringingAt: startedAt,
      answeredAt: null,
      completedAt: null,
      missed: null,
    });
    for (const [key, { span }] of cached)
      if (startedAt >= span.since && startedAt < span.until) cached.delete(key);
  };
  const figures = createFigureCache({
    cached: async (_, spans) => spans.map((span) => cached.get(JSON.stringify(span))?.figures ?? null),
    async firstCall(_, since) {
      const times = calls.map(({ startedAt }) => startedAt).filter((at) => at >= since);
      return times.sort((a, b) => a - b)[0] ?? null;
    },
    async begin(_, spans, mark) {
      for (const span of spans) {
        for (const [key, { span: known }] of cached)
          if (known.since === span.since && known.until < span.until) cached.delete(key);
        cached.set(JSON.stringify(span), { mark, figures: null, span });
      }
    },
    async count(_, span) {
      counted.push(span);
      const sum = countCalls(span);
      for (const call of calls)
        if (call.startedAt >= span.since && call.startedAt < span.until) sum.add(call);
      meanwhile();
      return { figures: sum.figures(), next: null };
    },
    async store(_, span, mark, figures) {
      const row = cached.get(JSON.stringify(span));
      if (row?.mark === mark) row.figures = figures;
    },
  });
  /** In hours: what was counted for this, and what is cached. */
  const inHours = ({ since, until }: Span) => `${since / HOUR} to ${until / HOUR}`;
  const ask = async (now: number, span = day) => {
    counted.length = 0;
    const [found] = await Array.fromAsync(figures(1, [span], now));
    return { calls: found?.all.calls, counted: counted.map(inHours), quarters: found?.quarters };
  };
  /** The calls of each of these spans. */
  const askAll = async (now: number, spans: readonly Span[]) => {
    counted.length = 0;
    const all = await Array.fromAsync(figures(1, spans, now));
    return { calls: all.map((one) => one.all.calls), counted: counted.map(inHours) };
  };
  return {
    ring,
    ask,
    askAll,
    cached: () =>
      [...cached.values()].filter(({ figures }) => figures !== null).map(({ span }) => inHours(span)),
    /** Caches the figures of an older version, which did not know all of them. */
    age() {
      for (const row of cached.values()) {
        const { shared, ...known } = JSON.parse(row.figures ?? '{}');
        row.figures = JSON.stringify(known);
      }
    },
    /** What happens while calls are counted. */
    during(work: () => void) {
      meanwhile = work;
    },
  };
}

test('of today the beginning is cached, and after a move only the last hours are counted again', async () => {
  const { ring, ask, cached } = scene();
  for (const hour of [8, 9, 9.5, 15.25]) ring(hour * HOUR);
  const first = await ask(16.2 * HOUR);
  assert.equal(first.calls, 4);
  assert.deepEqual(first.counted, ['0 to 15', '15 to 24']);
  assert.deepEqual(first.quarters?.slice(-4), [61, 1, 0, 0], 'at a quarter past three');
  ring(15.9 * HOUR);
  const again = await ask(16.3 * HOUR);
  assert.deepEqual([again.calls, again.counted], [5, ['15 to 24']]);
  assert.deepEqual(cached(), ['0 to 15']);
  ring(9.2 * HOUR);
  const late = await ask(16.4 * HOUR);
  assert.deepEqual([late.calls, late.counted], [6, ['0 to 15', '15 to 24']], 'a call of the beginning');
  ring(16.5 * HOUR);
  assert.deepEqual((await ask(17 * HOUR)).counted, ['0 to 16', '16 to 24']);
});

test('figures of a version that did not know all of them are counted again, once', async () => {
  const { ring, ask, age } = scene();
  ring(HOUR);
  await ask(day.until);
  age();
  assert.deepEqual((await ask(day.until)).counted, ['0 to 24']);
  assert.deepEqual((await ask(day.until)).counted, []);
});

test('a count during which one of its calls moved is not cached', async () => {
  const { ring, ask, cached, during } = scene();
  ring(HOUR);
  during(() => ring(2 * HOUR));
  assert.equal((await ask(day.until)).calls, 1);
  during(() => {});
  assert.deepEqual(cached(), []);
  assert.deepEqual([(await ask(day.until)).calls, cached()], [2, ['0 to 24']]);
});

test('a day that is over is counted as a whole and cached, until one of its calls moves', async () => {
  const { ring, ask, cached } = scene();
  for (const hour of [8, 9]) ring(hour * HOUR);
  assert.deepEqual((await ask(day.until)).counted, ['0 to 24']);
  assert.deepEqual(cached(), ['0 to 24']);
  assert.deepEqual((await ask(day.until)).counted, []);
  ring(23 * HOUR);
  const again = await ask(day.until);
  assert.deepEqual([again.calls, again.counted], [3, ['0 to 24']]);
});

test('days without calls are neither counted nor cached, however many', async () => {
  const { ring, askAll, cached } = scene();
  const days = Array.from({ length: 30 }, (_, n) => ({ since: n * day.until, until: (n + 1) * day.until }));
  const now = 30 * day.until;
  const none = await askAll(now, days);
  assert.deepEqual(none, { calls: days.map(() => 0), counted: [] });
  ring(27 * day.until);
  ring(28.5 * day.until);
  const some = await askAll(now, days);
  assert.deepEqual(some.calls, [...days.slice(3).map(() => 0), 1, 1, 0]);
  assert.deepEqual([some.counted.length, cached().length], [2, 2]);
  ring(day.until / 2);
  const late = await askAll(now, days);
  assert.deepEqual(
    [late.calls.at(0), late.calls.at(27), late.counted.length],
    [1, 1, 1],
    'a call that came late',
  );
  assert.equal(cached().length, 3, 'nor are the days between it and the others');
});
