import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const demoPath = fileURLToPath(new URL('../demo.ts', import.meta.url));

test('the demo: its service is killed, and nothing is lost', async (t) => {
  const demo = spawn(process.execPath, [demoPath, '--off', '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => demo.kill('SIGKILL'));
  const lines = createInterface(demo.stdout)[Symbol.asyncIterator]();
  const said: string[] = [];
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return assert.fail(`the demo never said ${pattern}:\n${said.join('\n')}`);
      said.push(value);
      const found = pattern.exec(value);
      if (found) return found;
    }
  };
  const [, link = ''] = await until(/^Open (\S+)$/);
  const { status } = await fetch(link);
  assert.equal(status, 200);
  const [, pid] = await until(/kill -9 (\d+)$/);
  await until(/call \S+ from \S+ is ringing/);
  process.kill(Number(pid), 'SIGKILL');
  await until(/^The service is killed/);
  await until(/^The service is back/);
  const [, delivered] = await until(/^All of them are delivered: (\d+) events since the start, 0 lost\.$/);
  assert.ok(Number(delivered) > 0);
  demo.kill('SIGINT');
  await until(/^Ended; nothing is left behind\.$/);
  const [code] = demo.exitCode === null ? await once(demo, 'exit') : [demo.exitCode];
  assert.equal(code, 0);
});

test('the demo says what it takes, and refuses the rest', () => {
  const demo = (...args: string[]) => spawnSync(process.execPath, [demoPath, ...args], { encoding: 'utf8' });
  const { stdout, status } = demo('--help');
  assert.match(stdout, /^npm run demo -- \[--seconds N\]/);
  assert.equal(status, 0);
  const wrong = demo('--nonsense');
  assert.match(wrong.stderr, /^Unknown option '--nonsense'.*\nnpm run demo/);
  assert.equal(wrong.status, 2);
});
