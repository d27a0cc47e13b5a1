import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { tryMutants } from './mutants.ts';
import { mutationsOf } from './mutations.ts';
import { testsOf } from './trial.ts';

test('code is changed, and not types, comments, texts or imports', () => {
  const source = [
    "import { a } from './a-1.ts';",
    '/* 1 === 2 */ // true',
    'type Two = 2 | true;',
    "const b: Two = a === 'x === 3' ? 2 : 0;",
    'if (b < 1 && !b.has(/[/] - 1/, `true`)) {',
    '  a.close(b);',
    '}',
  ].join('\n');
  const found = mutationsOf(source);
  assert.deepEqual(
    found.map(({ line, what }) => `${line}: ${what}`),
    [
      '4: === became !==',
      '4: 2 became 3',
      '4: 0 became 1',
      '5: inserted true ||',
      '5: inserted false &&',
      '5: < became <=',
      '5: 1 became 2',
      '5: && became ||',
      '5: ! became nothing',
      '6: a.close(b); became ;',
    ],
  );
  assert.equal(found[6]?.code, 'if (b < 1 && !b.has(/[/] - 1/, `true`)) {');
  assert.match(found[0]?.text ?? '', /^const b += {1,2}a !== 'x === 3' \? 2 : 0;$/m);
});

test('the narrowest tests of a file are those beside it', () => {
  assert.equal(testsOf('src/shared/process/allow-list.ts')[0], 'src/shared/process/allow-list.test.ts');
});

/** The same mutants of the same sources each time; which ones survive is for people to look at. */
test('most mutants of the lookups are noticed', async (t) => {
  const sources = globSync('src/bridge/agi/*.ts')
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .sort()
    .map((path) => ({ path, source: readFileSync(path, 'utf8') }));
  const say = (line: string) => t.diagnostic(`not noticed: ${line}`);
  const { killed, survived } = await tryMutants(sources, { count: 5, seed: 1, say });
  assert.equal(killed + survived, 5);
  assert.ok(killed >= 3, `${killed} of 5 were noticed`);
});
