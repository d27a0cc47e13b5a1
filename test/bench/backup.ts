import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { silentLog } from '../../src/log/log.ts';
import { type Batch, openOutbox } from '../../src/outbox/outbox.ts';
import { percentile, print } from './compare.ts';

/**
 * What an outbox that takes 1,000 events/s feels of its backup: how long appends take while there is none, and while
 * one is made, in turns. `node test/bench/backup.ts [rows]`, a million if left out.
 */
const rows = Number(process.argv[2] ?? 1_000_000);
const eventsPerSecond = 1_000;
const rounds = 3;

const folder = mkdtempSync(join(tmpdir(), 'bench-backup-'));
const directory = join(folder, 'state');
const file = join(folder, 'backup.db');
const outbox = await openOutbox({ directory }, { log: silentLog });
let number = 0;

function batchOf(size: number): Batch {
  const events = Array.from({ length: size }, () => {
    const id = `pbx-${1_763_618_668 + Math.floor(number / 50)}.${number++}`;
    const body = JSON.stringify({ id, direction: 'inbound', status: 'ringing', from: '+4930901820' });
    return { callId: id, status: 'ringing' as const, body, queuedAt: Date.now() };
  });
  return { calls: [], trunks: [], events };
}

/** Appends one event after the other until `end`; gives how long each took, ms. */
async function appendUntil(end: Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  const under: Promise<unknown>[] = [];
  let ended = false;
  void end.then(() => {
    ended = true;
  });
  const began = performance.now();
  for (let sent = 0; !ended; await sleep(1))
    for (; sent < ((performance.now() - began) / 1_000) * eventsPerSecond; sent++) {
      const asked = performance.now();
      under.push(outbox.append(batchOf(1)).then(() => took.push(performance.now() - asked)));
    }
  await Promise.all(under);
  return took;
}

/** A process of its own in real life; here a thread, which is as much beside the outbox's. */
function backUp(): Promise<void> {
  const script = `
    const { workerData } = require('node:worker_threads');
    import(workerData.module).then(({ backUp }) =>
      backUp(workerData.directory, workerData.file, { version: '', of: 'pbx', madeAt: 0, overwrite: true }));`;
  const module = new URL('../../src/outbox/backup.ts', import.meta.url).href;
  const worker = new Worker(script, { eval: true, workerData: { module, directory, file } });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

try {
  for (let done = 0; done < rows; done += 10_000)
    await Promise.all(Array.from({ length: 10 }, () => outbox.append(batchOf(1_000))));
  const quiet: number[] = [];
  const busy: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    quiet.push(...(await appendUntil(sleep(3_000))));
    const began = performance.now();
    busy.push(...(await appendUntil(backUp())));
    seconds.push((performance.now() - began) / 1_000);
  }
  print(`Backup of ${number.toLocaleString('en')} events (${(statSync(file).size / 1e6).toFixed(0)} MB)`);
  print(
    `  took ${seconds.map((one) => one.toFixed(1)).join(', ')} s while ${eventsPerSecond} events/s came in`,
  );
  for (const [name, took] of [
    ['without', quiet],
    ['while backed up', busy],
  ] as const) {
    const [p50, p99, most] = [percentile(took, 50), percentile(took, 99), Math.max(...took)];
    print(
      `  append ${name.padEnd(16)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, at most ${most.toFixed(0)} ms`,
    );
  }
} finally {
  await outbox.close();
  rmSync(folder, { recursive: true, force: true });
}
