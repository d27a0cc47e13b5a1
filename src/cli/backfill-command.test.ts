import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wish } from '../bridge/cdr/backfill-state.ts';
import type { Operator } from '../bridge/outbox/operator.ts';
import { showDryRun } from './backfill-command.ts';
import type { Context } from './command-context.ts';

/** A dry run, asked for at 1, that is ended (Ctrl-C) while the bridge has another wish, or this one. */
async function endedDryRun(at: number) {
  const wishes: (string | null)[] = [
    JSON.stringify({ at, since: 0, isDry: at === 1, again: false } satisfies Wish),
  ];
  const operator = {
    backfill: () => ({ wish: wishes.at(-1), progress: undefined, dry: undefined }),
    wishBackfill: (wish: string | null) => void wishes.push(wish),
  } as unknown as Operator;
  const said: string[] = [];
  const context = { printError: (line: string) => void said.push(line) } as unknown as Context;
  const code = await showDryRun(context, operator, 1, AbortSignal.abort());
  return { code, said, isLeft: wishes.length === 1 };
}

test('a dry run ends what it has asked for, and nothing that was asked for meanwhile', async () => {
  assert.deepEqual(await endedDryRun(1), { code: 1, said: ['stopped; nothing was reported'], isLeft: false });
  assert.deepEqual(await endedDryRun(2), {
    code: 1,
    said: ['another backfill was asked for meanwhile, or --stop; nothing was counted'],
    isLeft: true,
  });
});
