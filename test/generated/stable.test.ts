import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../src/shared/process/version.ts';
import { breaks, broken, cannotBreak, differences, recorded, released } from '../tools/generators/stable.ts';
import { stableNow } from '../tools/generators/stable-now.ts';

test('what others rely on is as recorded: npm run stable prints what has changed, and records it', async () => {
  const [before, now] = [recorded(), await stableNow()];
  for (const [kind, lines] of Object.entries(now)) assert.ok(lines.length > 0, kind);
  assert.deepEqual(differences(before, now), []);
  assert.deepEqual(broken(now), [], 'what a released version has is there');
});

test('a setting that is gone, a changed default and a new field are each named', async () => {
  const now = recorded();
  const [first = '', ...others] = now.settings ?? [];
  assert.deepEqual(
    differences(now, { ...now, settings: [...others, `${first}x`], API: [...(now.API ?? []), 'new'] }),
    [`- settings: ${first}`, `+ settings: ${first}x`, '+ API: new'],
  );
});

test('what a released version has cannot go or change, but by a major version that says so', () => {
  const [now, [release]] = [recorded(), released()];
  assert.ok(release && Object.keys(release.had).length > 5);
  const changed = (kind: string, change: (lines: readonly string[]) => readonly string[]) =>
    broken({ ...now, [kind]: change(now[kind] ?? []) });
  for (const [kind, lines] of Object.entries(release.had)) {
    const [line = ''] = lines;
    assert.deepEqual(
      changed(kind, (all) => all.filter((one) => one !== line)),
      [`${kind}: ${line}`],
    );
    assert.deepEqual(
      changed(kind, (all) => [...all, 'a new one']),
      [],
    );
  }
  assert.deepEqual(
    changed('API', (all) => [...all, 'addUser takes body application/json.team string']),
    ['API: addUser takes body application/json.team, required'],
  );
  for (const input of [
    'addUser takes body application/json.team? string',
    'addTeam takes body application/json.name',
  ])
    assert.deepEqual(
      changed('API', (all) => [...all, input]),
      [],
    );
  const gone = { ...now, settings: (now.settings ?? []).slice(1) };
  const line = `settings: ${now.settings?.[0]}`;
  assert.deepEqual(broken(gone, released(), { '2.0.0': [line] }), []);
  assert.deepEqual(broken(gone, released(), { '1.1.0': [line] }), [line]);
});

test('only a major version after the released ones can break, and only a tree that is that version', () => {
  for (const [by, ours] of [
    ['1.1.0', '1.1.0'],
    ['1.0.0', '1.0.0'],
    ['2.1.0', '2.1.0'],
    ['soon', '2.0.0'],
    ['2.0.0', '1.9.9'],
  ] as const)
    assert.notEqual(cannotBreak(by, released(), ours), undefined, `${by} ${ours}`);
  assert.equal(cannotBreak('2.0.0', released(), '2.0.0'), undefined);
  for (const by of Object.keys(breaks()))
    assert.ok(Number.parseInt(by, 10) <= Number.parseInt(version, 10), by);
});

test('a step of a database has a place and a name of its own', () => {
  for (const [kind, lines] of Object.entries(recorded())) {
    if (!kind.startsWith('steps of ')) continue;
    const parts = lines.map((line) => /^step (\d+), (.+): [0-9a-f]{16}(, breaks)?$/.exec(line));
    const places = parts.map((part) => Number(part?.[1])).sort((a, b) => a - b);
    assert.deepEqual(
      places,
      Array.from(lines, (_, at) => at + 1),
      `${kind}: two branches have added the same step`,
    );
    assert.equal(new Set(parts.map((part) => part?.[2])).size, lines.length, kind);
  }
});
