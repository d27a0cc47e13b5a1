import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../process/clock.ts';
import { createPlayback } from './playback.ts';

/** A clock that is moved by hand, and runs what is due on the way. */
function handClock(): Clock & { pass(ms: number): void } {
  let now = 1000;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => now,
    setTimer(callback, ms) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.callback();
      }
      now = end;
    },
  };
}

const frames = [0, 10, 10, 500].map((ms, index) => ({ ms, frame: Buffer.from(String(index)) }));

test('frames are played as far apart as they were recorded', () => {
  const clock = handClock();
  const sent: string[] = [];
  const playback = createPlayback(frames, (frame) => sent.push(frame.toString()));
  playback.run(clock, 1);
  assert.deepEqual(sent, ['0']);
  clock.pass(9);
  assert.equal(playback.played(), 1);
  clock.pass(1);
  assert.deepEqual(sent, ['0', '1', '2']);
  clock.pass(489);
  assert.equal(playback.played(), 3);
  clock.pass(1);
  assert.equal(playback.played(), 4);
});

test('ten times as fast takes a tenth of the time', async () => {
  const clock = handClock();
  const playback = createPlayback(frames, () => {});
  const { done } = playback.run(clock, 10);
  clock.pass(49);
  assert.equal(playback.played(), 3);
  clock.pass(1);
  assert.equal(playback.played(), 4);
  await done;
});

test('at full speed everything is played at once, in order', async () => {
  const many = Array.from({ length: 2000 }, (_, index) => ({
    ms: index * 1000,
    frame: Buffer.from(`${index}`),
  }));
  const clock = handClock();
  const sent: number[] = [];
  const { done } = createPlayback(many, (frame) => sent.push(Number(frame))).run(
    clock,
    Number.POSITIVE_INFINITY,
  );
  clock.pass(10);
  await done;
  assert.deepEqual(
    sent,
    many.map((_, index) => index),
  );
});

test('a run that is stopped plays no more and is done', async () => {
  const clock = handClock();
  const playback = createPlayback(frames, () => {});
  const run = playback.run(clock, 1);
  run.stop();
  await run.done;
  clock.pass(1000);
  assert.equal(playback.played(), 1);
});

test('by hand, then the rest in its own time', () => {
  const clock = handClock();
  const playback = createPlayback(frames, () => {});
  while (playback.played() < 3) assert.equal(playback.step(), true);
  playback.run(clock, 1);
  assert.equal(playback.played(), 4, 'it goes on from where the playback is');
  assert.equal(playback.step(), false);
});
