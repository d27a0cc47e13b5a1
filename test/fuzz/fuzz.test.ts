import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fuzz, type Target } from './fuzz.ts';
import { targets } from './targets.ts';

/** The short form; `npm run fuzz -- --inputs 1000000` is the long one. */
const inputs = 5_000;
/** Another one every day, and the same one all day: what it finds can be found again. */
const seed = Math.floor(Date.now() / 86_400_000);

describe(`parsers under fuzzing, seed ${seed}`, () => {
  for (const target of targets)
    test(target.name, () => {
      const { found, reached } = fuzz(target, { inputs, seed });
      assert.equal(
        found && `${found.error.message} with ${JSON.stringify(found.input.toString('latin1'))}`,
        undefined,
      );
      assert.ok(reached > 300, 'the coverage was not measured');
    });
});

/** What a fault looks like that chance alone does not find: byte by byte, each in a branch of its own. */
const planted: Target = {
  name: 'planted',
  seeds: [Buffer.from('AMI')],
  words: [],
  modules: ['/fuzz.test.ts'],
  run(input) {
    if (input[0] === 0x42) if (input[1] === 0x4f) if (input[2] === 0x21) throw new Error('boom');
  },
};

test('the search is guided: it finds what it does not find when it is blind, and makes it small', () => {
  const limits = { inputs: 40_000, seed: 1 };
  const { found } = fuzz(planted, limits);
  assert.equal(found?.error.message, 'boom');
  assert.equal(found?.input.toString(), 'BO!');
  assert.equal(fuzz(planted, { ...limits, guided: false }).found, undefined);
});
