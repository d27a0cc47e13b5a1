import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLogDestination } from './log-destination.ts';

const fixture = fileURLToPath(new URL('./log-destination.fixture.ts', import.meta.url));

/** A program that writes `lines` lines of 100 bytes; nobody reads its standard output yet. */
function startWriter(
  t: { after(done: () => void): void },
  lines: number,
  mostWaiting: number,
  then: 'exit' | 'gap' | 'message',
): ChildProcess & { stdout: Readable } {
  const child = spawn(process.execPath, [fixture, String(lines), String(mostWaiting), then], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child as ChildProcess & { stdout: Readable };
}

const linesOf = (written: string) =>
  written
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());

describe('a pipe that nobody reads', { timeout: 60_000 }, () => {
  test('does not hold the program; what comes after the kept lines is counted where it is missing', async (t) => {
    const child = startWriter(t, 20_000, 200_000, 'gap');
    await once(child, 'message');
    const lines = linesOf(await text(child.stdout));
    const notice = lines.findIndex((line) => line.includes('dropped'));
    assert.ok(notice > 2_000, `${notice} lines before the gap: the kept ones and more`);
    assert.deepEqual(
      lines.slice(0, notice),
      Array.from({ length: notice }, (_, i) => String(i)),
    );
    const [count, since] = /^(\d+) dropped since (\d+)$/.exec(lines[notice] ?? '')?.slice(1) ?? [];
    assert.equal(notice + Number(count), 20_000);
    assert.ok(Math.abs(Number(since) - Date.now()) < 60_000);
    assert.deepEqual(lines.slice(notice + 1), ['heard again']);
  });

  test('drops nothing that it has room to keep', async (t) => {
    const child = startWriter(t, 5_000, 1_000_000, 'message');
    await once(child, 'message');
    const written = text(child.stdout);
    child.send('go on');
    assert.deepEqual(linesOf(await written), [
      ...Array.from({ length: 5_000 }, (_, i) => String(i)),
      'heard again',
    ]);
  });

  test('is waited for a moment when the program ends', async (t) => {
    const child = startWriter(t, 5_000, 1_000_000, 'exit');
    await once(child, 'message');
    await sleep(50);
    assert.equal(linesOf(await text(child.stdout)).length, 5_000);
  });

  test('does not keep a program from its end', async (t) => {
    const child = startWriter(t, 5_000, 1_000_000, 'exit');
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
  });

  test('may be closed at its other end', async (t) => {
    const child = startWriter(t, 5_000, 1_000_000, 'message');
    await once(child, 'message');
    child.stdout.destroy();
    child.send('go on');
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
  });
});

test('a full disk takes no line, and harms nobody', () => {
  // It stays open: the log tries again until this process ends.
  const log = openLogDestination({ fd: openSync('/dev/full', 'w'), onDropped: () => {} });
  for (let i = 0; i < 100; i += 1) log.write('a line\n');
});
