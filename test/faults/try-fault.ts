import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Fault, RunOptions } from '../tools/faults/fault.ts';

const options = (t: TestContext, size: number): RunOptions => ({
  size,
  seed: 1,
  stop: t.signal,
  say: (line) => t.diagnostic(line),
});

/** The short form of a fault run, and its control; `npm run test:faults -- --full` is the long one. */
export function tryFault({ name, needs, short, run, control }: Fault): void {
  describe(name, { concurrency: 1 }, async () => {
    const skip = (await needs?.()) ?? false;
    test(`${short.count} ${short.unit}`, { skip }, async (t) => {
      const { broken, queued, note } = await run(options(t, short.count));
      t.diagnostic(`${queued} events; ${note}`);
      assert.deepEqual(broken, []);
      assert.ok(queued > 0, 'a run without events shows nothing');
    });
    if (control)
      test(`control: ${control.without}`, { skip }, async (t) => {
        const { broken } = await control.run(options(t, (control.size ?? short).count));
        t.diagnostic(broken[0] ?? 'nothing broke');
        assert.notEqual(broken.length, 0, 'the control must break the promise');
      });
  });
}
