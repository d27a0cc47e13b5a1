import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { generatedFiles } from '../tools/generators/generated.ts';

for (const [path, text] of Object.entries(generatedFiles()))
  test(`${basename(path)} is up to date (npm run generate)`, () => {
    const [lines, made] = [readFileSync(path, 'utf8'), text].map((it) => it.split('\n'));
    const at = made?.findIndex((line, n) => line !== lines?.[n]) ?? 0;
    // One line of it: the whole of a man page would hide what to do.
    if (at >= 0)
      assert.equal(`${at + 1}: ${lines?.[at]}`, `${at + 1}: ${made?.[at]}`, 'run: npm run generate');
    assert.equal(lines?.length, made?.length, 'run: npm run generate');
  });
