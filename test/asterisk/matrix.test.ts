import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Feed, feeds, impossibleFeeds, isCdrKind } from '../tools/lab/feeds.ts';
import { labImpossible } from '../tools/lab/install.ts';
import { type MatrixResult, runMatrix } from './run-matrix.ts';
import type { Verdict } from './verdict.ts';
import { type WorldName, worldNames, worlds } from './worlds.ts';

const skip = labImpossible() ?? false;
const without = skip ? new Map() : impossibleFeeds(feeds);

/** More rows than this that go wrong are no chance of a busy machine. */
const mostPlayedAgain = 3;

/**
 * Plays all rows. Where a missed call ended is asked of Asterisk, which beside hundreds of calls may not answer within the
 * second that the bridge waits: a row of which nothing else is wrong is played again, alone, and must be right then.
 */
async function playWorld(world: WorldName, possible: readonly Feed[]): Promise<MatrixResult> {
  const result = await runMatrix(world, { feeds: possible });
  const wrong = result.verdicts.filter(({ faults }) => faults.length > 0);
  const rows = [...new Set(wrong.map(({ row }) => row))];
  const isOnlyPlace = wrong.every(({ faults }) => faults.every((fault) => fault.startsWith('missed {')));
  if (rows.length === 0 || rows.length > mostPlayedAgain || !isOnlyPlace) return result;
  process.stdout.write(
    `played again, alone: ${wrong.map(({ row, faults }) => `${row}: ${faults}`).join('; ')}\n`,
  );
  const again = await runMatrix(world, { rows: rows.join(), feeds: possible });
  const verdictOf = (one: Verdict) =>
    again.verdicts.find(({ row, feed }) => row === one.row && feed === one.feed) ?? one;
  return {
    ...result,
    verdicts: result.verdicts.map((one) => (rows.includes(one.row) ? verdictOf(one) : one)),
    strays: [...result.strays, ...again.strays],
  };
}

for (const world of worldNames) {
  // A tier of its own (see test/tools/runner/run.ts): no machine has what it needs unless somebody gives it.
  const ungiven = worlds[world].impossible?.();
  if (ungiven) {
    process.stdout.write(`test/asterisk: without ${world}: ${ungiven}\n`);
    continue;
  }
  test(`the matrix on ${world}`, { skip }, async (t) => {
    const possible = feeds.filter((feed) => !without.has(feed));
    const { verdicts, strays } = await playWorld(world, possible);
    const right = (some: Verdict[]) => async (t: TestContext) => {
      for (const { row, feed, faults } of some)
        await t.test(`${row}, ${feed}`, () => assert.deepEqual(faults, []));
    };
    const { live = [], records = [] } = Object.groupBy(verdicts, ({ feed }) =>
      isCdrKind(feed) ? 'records' : 'live',
    );
    await t.test('all rows are reported as they happen', right(live));
    await t.test('all rows, played while no bridge ran, are reported from call records', right(records));
    for (const [feed, why] of without) await t.test(`all rows, ${feed}`, { skip: why }, () => {});
    await t.test('nothing else was reported, and every call of the PBX is known', () =>
      assert.deepEqual(strays, []),
    );
    await t.test("Asterisk's own record and the API agree on every call", () => {
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
      assert.equal(sum(verdicts.map(({ agreed }) => agreed)), sum(verdicts.map(({ calls }) => calls)));
    });
  });
}
