import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, recorded, stableNow } from './stable.ts';

test('what others rely on is as recorded: npm run stable prints what has changed, and records it', async () => {
  const [before, now] = [recorded(), await stableNow()];
  for (const [kind, lines] of Object.entries(now)) assert.ok(lines.length > 0, kind);
  assert.deepEqual(differences(before, now), []);
});

test('a setting that is gone, a changed default and a new field are each named', async () => {
  const now = recorded();
  const [first = '', ...others] = now.settings ?? [];
  assert.deepEqual(
    differences(now, { ...now, settings: [...others, `${first}x`], API: [...(now.API ?? []), 'new'] }),
    [`- settings: ${first}`, `+ settings: ${first}x`, '+ API: new'],
  );
});
