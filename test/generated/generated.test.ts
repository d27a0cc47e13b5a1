import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { generatedFiles } from './generated.ts';

for (const [path, text] of Object.entries(generatedFiles()))
  test(`${basename(path)} is up to date (npm run generate)`, () =>
    assert.equal(readFileSync(path, 'utf8'), text));
