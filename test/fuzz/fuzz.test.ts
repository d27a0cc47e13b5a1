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
      const found = fuzz(target, { inputs, seed });
      assert.equal(
        found && `${found.error.message} with ${JSON.stringify(found.input.toString('latin1'))}`,
        undefined,
      );
    });
});

test('what does not hold is found, and made small', () => {
  const target: Target = {
    ...{ name: 'planted', seeds: [Buffer.from('AMI')], words: ['boom'] },
    run(input) {
      assert.ok(!input.includes('boom'));
    },
  };
  assert.equal(fuzz(target, { inputs: 1_000, seed: 1 })?.input.toString(), 'boom');
});
