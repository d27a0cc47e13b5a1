import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createProgress } from './long-work.ts';

function scene(isTTY: boolean) {
  const state = { now: 1_000_000, said: '' };
  const out = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        state.said += chunk;
        done();
      },
    }),
    { isTTY },
  );
  const progress = createProgress('copying calls', out, () => state.now);
  const after = (ms: number, done: number, of?: number) => {
    state.now += ms;
    progress.at(done, of);
    const { said } = state;
    state.said = '';
    return said;
  };
  return { after, end: progress.end, state };
}

test('without a terminal nothing is said, however long the work takes: cron would mail it', () => {
  const { after, end, state } = scene(false);
  assert.equal(after(1_000, 1_500, 6_000), '');
  assert.equal(after(600_000, 3_000), '');
  end();
  assert.equal(state.said, '');
});

test('on a terminal one line is overwritten, and removed at the end; short work says nothing', () => {
  const { after, end, state } = scene(true);
  assert.equal(after(1_900, 1, 10), '');
  assert.equal(after(100, 5, 10), '\x1b[1Gcopying calls: 5 of 10 (50 %), 2 s left\x1b[0K');
  assert.equal(after(100, 6, 10), '');
  assert.match(after(150, 12, 10), /12 of 10 \(100 %\), 0 s left/, 'what was counted before has grown');
  assert.match(after(3_600_000, 3_000), /calls: 3,000\x1b/, 'of an unknown number');
  end();
  assert.equal(state.said, '\x1b[1G\x1b[2K');
});
