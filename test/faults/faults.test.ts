import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faults } from './all.ts';

/** The short form of every fault run; `npm run test:faults -- --full` is the long one. */
const seed = 1;

for (const { name, needs, short, run, control } of faults.filter(({ aside }) => !aside))
  describe(name, async () => {
    const skip = (await needs?.()) ?? false;
    test(`${short.count} ${short.unit}`, { skip }, async (t) => {
      const { broken, taken, note } = await run({
        size: short.count,
        seed,
        say: (line) => t.diagnostic(line),
      });
      t.diagnostic(`${taken} events; ${note}`);
      assert.deepEqual(broken, []);
      assert.ok(taken > 0, 'a run without events shows nothing');
    });
    if (control)
      test(`control: ${control.without}`, { skip }, async (t) => {
        const { broken } = await control.run({
          size: (control.size ?? short).count,
          seed,
          say: (line) => t.diagnostic(line),
        });
        t.diagnostic(broken[0] ?? 'nothing broke');
        assert.notEqual(broken.length, 0, 'the control must break the promise');
      });
  });
