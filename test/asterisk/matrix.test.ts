import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { feeds, impossibleFeeds, isCdrKind } from '../tools/lab/feeds.ts';
import { labImpossible } from '../tools/lab/install.ts';
import { runMatrix } from './run-matrix.ts';
import type { Verdict } from './verdict.ts';
import { type WorldName, worldNames, worlds } from './worlds.ts';

const skip = labImpossible() ?? false;
const without = skip ? new Map() : impossibleFeeds(feeds);
/** FreePBX keeps its call records in MariaDB. */
const feedsOf = (world: WorldName) =>
  world.startsWith('freepbx') ? feeds.filter((feed) => !isCdrKind(feed) || feed === 'mysql') : feeds;

for (const world of worldNames) {
  // A tier of its own (see test/tools/runner/run.ts): no machine has what it needs unless somebody gives it.
  const ungiven = worlds[world].impossible?.();
  if (ungiven) {
    process.stdout.write(`test/asterisk: without ${world}: ${ungiven}\n`);
    continue;
  }
  test(`the matrix on ${world}`, { skip }, async (t) => {
    const possible = feedsOf(world).filter((feed) => !without.has(feed));
    const { verdicts, strays } = await runMatrix(world, { feeds: possible });
    const right = (some: Verdict[]) => async (t: TestContext) => {
      for (const { row, feed, faults } of some)
        await t.test(`${row}, ${feed}`, () => assert.deepEqual(faults, []));
    };
    const { live = [], records = [] } = Object.groupBy(verdicts, ({ feed }) =>
      isCdrKind(feed) ? 'records' : 'live',
    );
    await t.test('all rows are reported as they happen', right(live));
    await t.test('all rows, played while no bridge ran, are reported from call records', right(records));
    for (const [feed, why] of without)
      if (feedsOf(world).includes(feed)) await t.test(`all rows, ${feed}`, { skip: why }, () => {});
    await t.test('nothing else was reported, and every call of the PBX is known', () =>
      assert.deepEqual(strays, []),
    );
    await t.test("Asterisk's own record and the API agree on every call", () => {
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
      assert.equal(sum(verdicts.map(({ agreed }) => agreed)), sum(verdicts.map(({ calls }) => calls)));
    });
  });
}
