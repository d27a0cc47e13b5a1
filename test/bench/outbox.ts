import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { silentLog } from '../../src/log/log.ts';
import { type Batch, openOutbox } from '../../src/outbox/outbox.ts';
import { compare, median, print } from './compare.ts';

/**
 * The outbox against raw node:sqlite on the same disk: durable appends by batch; and a start with a million waiting rows,
 * each in a process of its own. `node test/bench/outbox.ts [--share 0.1] [append|start]`; both without a name.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string', default: '1' } },
});
/** Of the usual number of rows. */
const share = Number(values.share);
const [wanted, folder] = positionals;
if (wanted === 'start-here') await startHere(folder);
else
  for (const [name, part] of Object.entries({ append, start }))
    if (wanted === undefined || wanted === name) await part();

async function append(): Promise<void> {
  for (const [size, rows] of [
    [1, 8_000],
    [10, 50_000],
    [100, 100_000],
  ] as const) {
    const count = Math.ceil((rows / size) * share);
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

async function start(): Promise<void> {
  const waiting = 1_000_000 * share;
  await inFolder(async (directory) => {
    const [full, empty] = [join(directory, 'full'), join(directory, 'empty')];
    const outbox = await openOutbox({ directory: full }, { log: silentLog });
    for (let from = 0; from < waiting; from += 100_000)
      await Promise.all(batches(1_000, 100, from).map((batch) => outbox.append(batch)));
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

async function startHere(directory = ''): Promise<void> {
  const begin = performance.now();
  const outbox = await openOutbox({ directory }, { log: silentLog });
  await outbox.load();
  const [now, freshSince] = [Date.now(), Date.now() - 60_000];
  for (const priority of ['fresh', 'backlog'] as const)
    await outbox.due({ priority, now, freshSince, limit: 64, except: [] });
  const ms = performance.now() - begin;
  const waiting = await outbox.waiting();
  process.stdout.write(JSON.stringify({ ms, rss: process.memoryUsage.rss(), waiting }));
  await outbox.close();
}
