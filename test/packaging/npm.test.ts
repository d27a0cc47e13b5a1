import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../tools/debian.ts';
import { packagingImpossible, run } from '../tools/packaging/machine.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { longestTestMs } from '../tools/runner/run-files.ts';
import { blocksOf, readDocument } from '../tools/tree/documents.ts';

/** What Debian 12 and Ubuntu 24.04 have. It takes the links of a package away that is for another machine. */
const debians = 'npm@9.2.0';

test("README's first commands, by a fresh account with Debian's own npm: the demo runs, and the package is built", {
  skip: packagingImpossible() ?? false,
}, async (t) => {
  await installPackages({ '/usr/bin/x86_64-linux-gnu-strip': 'binutils' });
  const home = temporaryFolder(t);
  const checkout = join(home, 'pbx-bridge');
  cpSync(fileURLToPath(new URL('../../', import.meta.url)), checkout, {
    recursive: true,
    filter: (path) => !/\/(node_modules|dist|\.git)$/.test(path),
  });
  // Not with --prefix: npm looks for the machine's own settings there too, and would not know whom to trust.
  writeFileSync(join(home, 'package.json'), '{}');
  const install = 'cd "$0" && exec npm install --prefer-offline "$1"';
  const npm = await run('sh', ['-c', install, home, debians], longestTestMs);
  assert.equal(npm.code, 0, npm.output);
  assert.equal((await run('chown', ['-R', 'nobody:nogroup', home])).code, 0);

  // Nothing of what the tests' own environment has, but whom to trust: a registry behind a company's own authority.
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const account = [
    '-i',
    `HOME=${home}`,
    `PATH=${[join(home, 'node_modules/.bin'), ...path].join(':')}`,
    ...(authorities === undefined ? [] : [`NODE_EXTRA_CA_CERTS=${authorities}`]),
    'setpriv',
    '--reuid=nobody',
    '--regid=nogroup',
    '--clear-groups',
    'bash',
    '-ec',
  ];
  const readme = readDocument('README.md').text;
  const [demo = ''] = blocksOf(readme).filter((block) => block.startsWith('npm ci'));
  // The demo's block has installed what the package is built with.
  const [, build = ''] = /`npm ci && (npm run deb)`/.exec(readme) ?? [];
  assert.equal(demo, 'npm ci\nnpm run demo\n');

  const pasted = spawn('env', [...account, demo], { cwd: checkout, detached: true });
  const isOver = () => pasted.exitCode !== null || pasted.signalCode !== null;
  t.after(() => isOver() || process.kill(-(pasted.pid ?? 0), 'SIGKILL'));
  const ended = once(pasted, 'close');
  const said: string[] = [];
  pasted.stderr.on('data', (text) => said.push(String(text)));
  for await (const line of createInterface(pasted.stdout)) {
    said.push(line);
    const [, link] = /^Open (\S+)$/.exec(line) ?? [];
    if (link === undefined) continue;
    assert.equal((await fetch(link)).status, 200);
    process.kill(-(pasted.pid ?? 0), 'SIGINT'); // Ctrl-C
  }
  await ended;
  assert.match(said.join('\n'), /^Ended; nothing is left behind\.$/m);

  const built = await run('env', [...account, `cd ${checkout}; ${build}`], longestTestMs);
  assert.equal(built.code, 0, built.output);
  assert.equal(globSync(join(checkout, 'dist/pbx-bridge_*_amd64.deb')).length, 1);
});
