import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

// A fraction of a millisecond that reaches a bigint column of PostgreSQL stops what it belongs to.
test('only the clock of shared/process reads a clock with fractions of milliseconds', () => {
  // The browser's code has no way to the database but requests, and these are checked.
  const files = globSync('src/**/*.ts').filter(
    (path) => !/\.test\.ts$|\.fixture\.ts$|^src\/service\/client\//.test(path),
  );
  assert.ok(files.length > 300, `${files.length} files`);
  const reading = files.filter((path) => /\bperformance\b|\bhrtime\b/.test(codeOf(path)));
  assert.deepEqual(reading, ['src/shared/process/clock.ts'], 'use monotonicMs of shared/process/clock.ts');
  const precise = files.filter((path) => /\bpreciseMs\b/.test(codeOf(path))).sort();
  assert.deepEqual(
    precise,
    [
      'src/cli/program.ts', // systemd's MONOTONIC_USEC
      'src/service/activity/close-call.ts', // as a request that is recorded
      'src/service/app/api.ts', // the duration of a request, to the microsecond, in a column for fractions
      'src/service/database/postgres-recorder.ts',
      'src/service/database/sqlite-writer.ts',
      'src/shared/process/clock.ts',
    ],
    'preciseMs is for durations that are rounded before they are kept',
  );
});

const codeOf = (path: string) => readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
