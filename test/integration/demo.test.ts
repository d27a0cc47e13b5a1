import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/program/program.ts';
import { until } from '../tools/until.ts';

const demoPath = fileURLToPath(new URL('../tools/demo.ts', import.meta.url));

test('the demo: its service is killed, and nothing is lost', async (t) => {
  const demo = spawn(process.execPath, [demoPath, '--off', '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => demo.kill('SIGKILL'));
  const said: string[] = [];
  createInterface(demo.stdout).on('line', (line) => said.push(line));
  let read = 0;
  /** The next line that matches, after the one before. */
  const says = (pattern: RegExp) =>
    until(
      `the demo to say ${pattern}`,
      () => {
        const at = said.findIndex((line, n) => n >= read && pattern.test(line));
        if (at < 0 && demo.exitCode !== null) assert.fail(`it ended without saying ${pattern}`);
        if (at >= 0) read = at + 1;
        return at >= 0 && pattern.exec(said[at] ?? '');
      },
      { state: () => said },
    );
  const [, link = ''] = await says(/^Open (\S+)$/);
  const { status } = await fetch(link);
  assert.equal(status, 200);
  const [, pid] = await says(/kill -9 (\d+)$/);
  await says(/call \S+ from \S+ is ringing/);
  process.kill(Number(pid), 'SIGKILL');
  await says(/^The service is killed/);
  await says(/^The service is back/);
  const [, delivered] = await says(/^All of them are delivered: (\d+) events since the start, 0 lost\.$/);
  assert.ok(Number(delivered) > 0);
  demo.kill('SIGINT');
  await says(/^Ended; nothing is left behind\.$/);
  const [code] = demo.exitCode === null ? await once(demo, 'exit') : [demo.exitCode];
  assert.equal(code, 0);
});

test('the demo: it says at once that it starts, and leaves nothing when its terminal is closed, early or late', async (t) => {
  for (const when of [/^Starting the demo/, /^Open /]) {
    const folder = temporaryFolder(t);
    const demo = spawn(process.execPath, [demoPath], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    });
    t.after(() => demo.kill('SIGKILL'));
    const ended = once(demo, 'exit');
    const said: string[] = [];
    createInterface(demo.stdout).on('line', (line) => said.push(line));
    await until(`${when}`, () => said.some((line) => when.test(line)), { state: () => said });
    assert.match(said[0] ?? '', /^Starting the demo/);
    const made = () => readdirSync(folder).some((name) => name.startsWith('pbx-bridge-demo-'));
    await until('its folder', made);
    demo.stdout.destroy();
    demo.kill('SIGHUP');
    await ended;
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('pbx-bridge-')),
      [],
    );
  }
});
