import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../integration/program.ts';
import { longestTestMs } from '../run-files.ts';
import { run } from './machine.ts';

const project = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** What Debian 12 and Ubuntu 24.04 have. It takes the links of a package away that is for another machine. */
const debians = 'npm@9.2.0';

test("with Debian's own npm the lock file brings the runtime, and npm's scripts find it", async (t) => {
  const cwd = temporaryFolder(t);
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(project(name), join(cwd, name));
  // This npm runs here, so it may trust what this machine's Node does: a registry behind a company's own authority.
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const trusted = authorities === undefined ? [] : [`NODE_EXTRA_CA_CERTS=${authorities}`];
  const npm = (...args: string[]) =>
    run(
      'env',
      [...trusted, 'npm', 'exec', '--yes', '--prefer-offline', '--prefix', cwd, debians, '--', ...args],
      longestTestMs,
    );
  const installed = await npm('ci', '--omit=dev', '--prefer-offline', '--prefix', cwd);
  assert.equal(installed.code, 0, installed.output);
  const found = await run(join(cwd, 'node_modules/.bin/node'), ['--version']);
  assert.match(found.output, /^v26\./);
});
