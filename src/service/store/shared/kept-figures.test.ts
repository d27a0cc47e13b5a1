import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallFacts, countCalls, type Span } from '../../reports/tally.ts';
import { keptFigures } from './kept-figures.ts';

const HOUR = 3_600_000;
const day: Span = { since: 0, until: 24 * HOUR };

/** An engine over calls in memory, that tells what was counted and kept. */
function scene() {
  const calls: CallFacts[] = [];
  const moves = new Map<number, number>();
  const kept = new Map<string, { moves: number; figures: string }>();
  const counted: Span[] = [];
  const ring = (startedAt: number) => {
    calls.push({
      ...{ status: 'ringing', segment: null, callerId: null, startedAt },
      ...{ ringingAt: startedAt, answeredAt: null, completedAt: null, missed: null },
    });
    const hour = Math.floor(startedAt / HOUR);
    moves.set(hour, (moves.get(hour) ?? 0) + 1);
  };
  const within = ({ since, until }: Span) =>
    [...moves].reduce((sum, [hour, n]) => (hour >= since / HOUR && hour < until / HOUR ? sum + n : sum), 0);
  const figures = keptFigures({
    kept: async (_, spans) =>
      spans.map((span) => {
        const known = kept.get(JSON.stringify(span));
        return { moves: within(span), figures: known?.moves === within(span) ? known.figures : null };
      }),
    async count(_, span) {
      counted.push(span);
      const tally = countCalls(span);
      for (const call of calls)
        if (call.startedAt >= span.since && call.startedAt < span.until) tally.add(call);
      return { figures: tally.figures(), next: null };
    },
    async keep(_, span, moves, text) {
      kept.set(JSON.stringify(span), { moves, figures: text });
    },
  });
  /** In hours: what was counted for this, and what is kept. */
  const inHours = ({ since, until }: Span) => `${since / HOUR} to ${until / HOUR}`;
  const ask = async (now: number) => {
    counted.length = 0;
    const [found] = await Array.fromAsync(figures(1, [day], now));
    return { calls: found?.all.calls, counted: counted.map(inHours), quarters: found?.quarters };
  };
  return { ring, ask, kept: () => [...kept.keys()].map((span) => inHours(JSON.parse(span))) };
}

test('of today the beginning is kept, and after a move only the last hours are counted again', async () => {
  const { ring, ask, kept } = scene();
  for (const hour of [8, 9, 9.5, 15.25]) ring(hour * HOUR);
  const first = await ask(16.2 * HOUR);
  assert.equal(first.calls, 4);
  assert.deepEqual(first.counted, ['0 to 15', '15 to 24']);
  assert.deepEqual(first.quarters?.slice(61 * 3, 62 * 3), [1, 0, 0], 'at a quarter past three');
  assert.deepEqual((await ask(16.2 * HOUR)).counted, [], 'nothing has moved');
  ring(15.9 * HOUR);
  const again = await ask(16.3 * HOUR);
  assert.deepEqual([again.calls, again.counted], [5, ['15 to 24']]);
  assert.deepEqual(kept(), ['0 to 15']);
  ring(9.2 * HOUR);
  const late = await ask(16.4 * HOUR);
  assert.deepEqual([late.calls, late.counted], [6, ['0 to 15', '15 to 24']], 'a call of the beginning');
  ring(16.5 * HOUR);
  assert.deepEqual((await ask(17 * HOUR)).counted, ['0 to 16', '16 to 24']);
});

test('in the first hours there is no beginning', async () => {
  const { ring, ask, kept } = scene();
  ring(0.5 * HOUR);
  const found = await ask(1.9 * HOUR);
  assert.deepEqual([found.calls, found.counted, kept()], [1, ['0 to 24'], []]);
});

test('hundreds that look at the same moment have it counted once', async () => {
  const { ring, ask } = scene();
  ring(HOUR);
  const all = await Promise.all(Array.from({ length: 300 }, () => ask(1.5 * HOUR)));
  assert.deepEqual(new Set(all.map(({ calls }) => calls)), new Set([1]));
  assert.equal(all.at(-1)?.counted.length, 1);
});

test('a day that is over is counted as a whole and kept, until one of its calls moves', async () => {
  const { ring, ask, kept } = scene();
  for (const hour of [8, 9]) ring(hour * HOUR);
  assert.deepEqual((await ask(day.until)).counted, ['0 to 24']);
  assert.deepEqual(kept(), ['0 to 24']);
  assert.deepEqual((await ask(day.until)).counted, []);
  ring(23 * HOUR);
  const again = await ask(day.until);
  assert.deepEqual([again.calls, again.counted], [3, ['0 to 24']]);
});
