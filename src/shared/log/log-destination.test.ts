import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../../../test/tools/until.ts';
import type { Program } from './log-destination.fixture.ts';
import { openLogDestination } from './log-destination.ts';

const fixture = fileURLToPath(new URL('./log-destination.fixture.ts', import.meta.url));

/** Starts a program whose standard output is not read yet. */
function start(t: TestContext, program: Program): ChildProcess & { stdout: Readable } {
  const child = spawn(process.execPath, [fixture, JSON.stringify(program)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child as ChildProcess & { stdout: Readable };
}

const linesOf = (written: string) => written.split('\n').map((line) => line.trimEnd());
const upTo = (count: number) => Array.from({ length: count }, (_, i) => String(i));

/** Checks that lines are in order, with the notice of a gap in place of the missing ones. */
function checkGap(lines: readonly string[], all: number, notice: RegExp): void {
  const place = lines.findIndex((line) => notice.test(line));
  assert.ok(place > 2_000, `${place} lines before the gap: more than the buffer holds`);
  const [count, since] = notice.exec(lines[place] as string)?.slice(1) ?? [];
  const numbers = [...lines.slice(0, place), ...lines.slice(place + 1, -2)];
  const missing = Number(count);
  assert.deepEqual(numbers, [...upTo(place), ...upTo(all).slice(place + missing)]);
  assert.equal(numbers.length + missing, all);
  assert.ok(missing > 0);
  assert.equal(all - place - missing, 50, 'the newest are kept');
  assert.ok(Math.abs(new Date(Number(since) || String(since)).getTime() - Date.now()) < 60_000);
  assert.deepEqual(lines.slice(-2), ['the last one', '']);
}

describe('a pipe that is not read', { timeout: 60_000 }, () => {
  test('does not block the program; dropped lines are counted at the gap', async (t) => {
    const child = start(t, { lines: 20_000, bufferBytes: 200_000, waitsFor: 'gap' });
    await once(child, 'message');
    checkGap(linesOf(await text(child.stdout)), 20_000, /^(\d+) dropped since (\d+)$/);
  });

  test('loses no line that fits into the buffer', async (t) => {
    const child = start(t, {
      lines: 5_000,
      bufferBytes: 1_000_000,
      exitTimeoutMs: 30_000,
      waitsFor: 'message',
    });
    await once(child, 'message');
    const written = text(child.stdout);
    child.send('go on');
    assert.deepEqual(linesOf(await written), [...upTo(5_000), 'the last one', '']);
  });

  test('may be closed by its reader', async (t) => {
    const child = start(t, {
      lines: 5_000,
      bufferBytes: 1_000_000,
      exitTimeoutMs: 300_000,
      waitsFor: 'message',
    });
    await once(child, 'message');
    child.stdout.destroy();
    child.send('go on');
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
  });
});

test('a full disk: lines are buffered and written when there is room', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  let full = true;
  const { writeSync } = fs;
  t.mock.method(fs, 'writeSync', (fd: number, what: string) => {
    if (full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    return writeSync(fd, what);
  });
  const log = openLogDestination({
    fd: openSync(file, 'w'),
    onDropped: () => assert.fail('no line may be dropped'),
  });
  for (const line of upTo(100)) log.write(`${line}\n`);
  const { blockedSince, dropped } = log.status();
  assert.ok(Number(blockedSince) <= Date.now());
  assert.equal(dropped, 0);
  full = false;
  await until('the log that is written again', () => log.status().blockedSince === undefined);
  assert.deepEqual(linesOf(readFileSync(file, 'utf8')), [...upTo(100), '']);
});
