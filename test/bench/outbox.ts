import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '../../src/log/log.ts';
import { type Batch, openOutbox } from '../../src/outbox/outbox.ts';
import { compare, median, print } from './compare.ts';

/**
 * The outbox against raw node:sqlite on the same disk: durable appends by batch, the same on a disk whose every fsync
 * takes 5 ms longer, what the main thread feels while every fsync takes 1 s, and a start with a million waiting rows.
 *
 * `node test/bench/outbox.ts [append|slow-append|stall|start]`; all of them without an argument.
 */
const parts = { append, 'slow-append': slowAppend, stall, start } as const;
type Part = keyof typeof parts;

/** What a part does in a process of its own. */
const children = {
  'append-here': appendHere,
  'stall-here': stallHere,
  'start-here': startHere,
} as const;

const [wanted, ...rest] = process.argv.slice(2);
if (wanted !== undefined && wanted in children) await children[wanted as keyof typeof children](...rest);
else for (const part of wanted === undefined ? Object.keys(parts) : [wanted]) await parts[part as Part]();

async function append(): Promise<void> {
  await appendHere('1');
}

/** A disk on which an fsync takes as long as on a plain one. */
async function slowAppend(): Promise<void> {
  print('\nEvery fsync 5 ms slower:');
  underSlowFsync(5_000, ['append-here', '0.05']);
}

async function stall(): Promise<void> {
  print('\nEvery fsync takes 1 s:');
  underSlowFsync(1_000_000, ['stall-here']);
}

/** Runs this file in a process whose every fsync is held up. */
function underSlowFsync(microseconds: number, args: readonly string[]): void {
  const calls = 'fsync,fdatasync';
  const trace = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls}`];
  const inject = ['-e', `inject=${calls}:delay_enter=${microseconds}`];
  const { error, status } = spawnSync(
    'strace',
    [...trace, ...inject, process.execPath, import.meta.filename, ...args],
    { stdio: 'inherit' },
  );
  if (error) print(`  left out: strace cannot be run here (${error.message})`);
  else if (status !== 0) throw new Error(`the slow run ended with ${status}`);
}

/** `share`: of the usual number of rows. */
async function appendHere(share = '1'): Promise<void> {
  for (const [size, rows] of [
    [1, 8_000],
    [10, 50_000],
    [100, 100_000],
  ] as const) {
    const count = Math.ceil((rows / size) * Number(share));
    await inFolder(async (directory) => {
      const rounds = 5;
      // New calls in each round, made before the clock runs; the first round only warms up.
      const work = Array.from({ length: rounds + 1 }, (_, round) => batches(size, count, round * rows));
      const [many, alone] = [
        await outboxIn(join(directory, 'many')),
        await outboxIn(join(directory, 'alone')),
      ];
      const [unique, plain] = [
        rawIn(join(directory, 'unique.db'), true),
        rawIn(join(directory, 'plain.db'), false),
      ];
      await compare(
        `Durable append by batch of ${size}`,
        'rows',
        [
          { name: 'outbox, 64 appends under way', run: inTurns(work, (all) => many.append(all, 64)) },
          { name: 'outbox, one append after the other', run: inTurns(work, (all) => alone.append(all, 1)) },
          { name: 'raw node:sqlite FULL, (call, status) unique', run: inTurns(work, unique.append) },
          { name: 'raw node:sqlite FULL, one plain table', run: inTurns(work, plain.append) },
        ],
        { rounds },
      );
      for (const one of [many, alone, unique, plain]) await one.close();
    });
  }
}

/** Each time it runs, the next part of the work. */
function inTurns<T>(
  work: readonly T[],
  run: (part: T) => Promise<number> | number,
): () => Promise<number> | number {
  let turn = 0;
  return () => run(work[turn++] as T);
}

/** Batches of first events, of a call each, as the bridge makes them. */
function batches(size: number, count: number, from = 0): Batch[] {
  return Array.from({ length: count }, (_, batch) => ({
    calls: [],
    trunks: [],
    events: Array.from({ length: size }, (_, i) => {
      const number = from + batch * size + i;
      const id = `pbx-${1_763_618_668 + Math.floor(number / 50)}.${number}`;
      const body = {
        id,
        direction: 'inbound',
        status: 'ringing',
        from: `+4930${9_000_000 + (number % 1_000_000)}`,
      };
      return {
        callId: id,
        status: 'ringing' as const,
        body: JSON.stringify(body),
        queuedAt: 1_763_618_668_000 + number,
      };
    }),
  }));
}

async function outboxIn(directory: string) {
  const outbox = await openOutbox({ directory }, { log: silentLog });
  return {
    close: outbox.close,
    async append(all: readonly Batch[], underWay: number): Promise<number> {
      let next = 0;
      let rows = 0;
      const one = async () => {
        for (let batch = all[next++]; batch; batch = all[next++]) {
          const { nextEvents } = await outbox.append(batch);
          rows += nextEvents.length;
        }
      };
      await Promise.all(Array.from({ length: underWay }, one));
      return rows;
    },
  };
}

function rawIn(path: string, unique: boolean) {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE event (seq INTEGER PRIMARY KEY, call_id TEXT, status TEXT, body TEXT, queued_at INTEGER
    ${unique ? ', UNIQUE (call_id, status)' : ''})`);
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
  const insert = db.prepare(
    'INSERT INTO event (call_id, status, body, queued_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  return {
    close: () => db.close(),
    append(all: readonly Batch[]): number {
      let rows = 0;
      for (const { events } of all) {
        begin.run();
        for (const { callId, status, body, queuedAt } of events) {
          rows += Number(insert.run(callId, status, body, queuedAt).changes);
        }
        commit.run();
      }
      return rows;
    },
  };
}

async function inFolder<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-outbox-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** 1,000 events a second for ten seconds, while nothing gets onto the disk in less than a second. */
async function stallHere(): Promise<void> {
  await inFolder(async (directory) => {
    const outbox = await openOutbox({ directory }, { log: silentLog });
    const idle = await eachMillisecond(10_000, () => {});
    const waits: number[] = [];
    const all = batches(1, 10_000);
    const appends: Promise<unknown>[] = [];
    const busy = await eachMillisecond(all.length, (i) => {
      const asked = performance.now();
      appends.push(outbox.append(all[i] as Batch).then(() => waits.push(performance.now() - asked)));
    });
    await Promise.all(appends);
    const commits = outbox.commits();
    await outbox.close();
    print(`  main thread held up: ${busy} (goal: under 50 ms)`);
    print(`  with nothing to do:  ${idle}`);
    print(
      `  1,000 events/s taken in ${commits} transactions, each on disk after ${(median(waits) / 1e3).toFixed(2)} s`,
    );
  });
}

/**
 * Works each millisecond; gives how long the event loop was held up. The thread's own CPU time in the worst turn is
 * reported as well: on a busy machine the rest of the wait is others' work.
 */
async function eachMillisecond(times: number, work: (i: number) => void): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1e3;
  };
  let [worst, last] = [0, used()];
  delay.enable();
  const begin = performance.now();
  for (let i = 0; i < times; i++) {
    while (performance.now() - begin < i) {
      await sleep(1);
      const now = used();
      worst = Math.max(worst, now - last);
      last = now;
    }
    work(i);
  }
  delay.disable();
  const [most, p99] = [delay.max, delay.percentile(99)].map((nanoseconds) => (nanoseconds / 1e6).toFixed(1));
  return `${most} ms at most (own CPU ${worst.toFixed(1)} ms), p99 ${p99} ms`;
}

async function start(): Promise<void> {
  const waiting = 1_000_000;
  await inFolder(async (directory) => {
    const [full, empty] = [join(directory, 'full'), join(directory, 'empty')];
    const outbox = await openOutbox({ directory: full }, { log: silentLog });
    for (let from = 0; from < waiting; from += 100_000) {
      await Promise.all(batches(1_000, 100).map((batch) => outbox.append(renumbered(batch, from))));
    }
    await outbox.close();
    print(`\nStart (each in a process of its own, median of 5)`);
    for (const [name, folder] of [
      [`${waiting.toLocaleString('en')} events wait`, full],
      ['nothing waits', empty],
    ] as const) {
      const runs = Array.from({ length: 5 }, () => {
        const { stdout } = spawnSync(process.execPath, [import.meta.filename, 'start-here', folder]);
        return JSON.parse(String(stdout)) as { ms: number; rss: number; waiting: number };
      });
      const ms = median(runs.map((run) => run.ms));
      const rss = median(runs.map((run) => run.rss)) / 1e6;
      const found = runs[0]?.waiting.toLocaleString('en');
      print(
        `  ${name.padEnd(24)} ${ms.toFixed(0)} ms until load() and 64 nextEvents were given, RSS ${rss.toFixed(0)} MB (${found})`,
      );
    }
  });
}

function renumbered(batch: Batch, from: number): Batch {
  return { ...batch, events: batch.events.map((event) => ({ ...event, callId: `${event.callId}-${from}` })) };
}

async function startHere(directory = ''): Promise<void> {
  const begin = performance.now();
  const outbox = await openOutbox({ directory }, { log: silentLog });
  await outbox.load();
  await outbox.due({
    priority: 'fresh',
    now: Date.now(),
    freshSince: Date.now() - 60_000,
    limit: 64,
    except: [],
  });
  await outbox.due({
    priority: 'backlog',
    now: Date.now(),
    freshSince: Date.now() - 60_000,
    limit: 64,
    except: [],
  });
  const ms = performance.now() - begin;
  const waiting = await outbox.waiting();
  process.stdout.write(JSON.stringify({ ms, rss: process.memoryUsage.rss(), waiting }));
  await outbox.close();
}
