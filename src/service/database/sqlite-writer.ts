import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { preciseMs } from '../../shared/process/clock.ts';
import { answerTogether, refuseAll } from '../../shared/storage/answer.ts';
import { createTransact } from '../../shared/storage/open-database.ts';
import { serveThread } from '../../shared/storage/serve-thread.ts';
import { FileMoved } from '../../shared/storage/storage-error.ts';
import { WATCH_MS, watchFile } from '../../shared/storage/watch-file.ts';
import type { Caller, CallRecord } from '../calls/call-record.ts';
import { whoColumns, whoOf } from '../calls/call-rows.ts';
import { callRows } from '../calls/call-rows-sqlite.ts';
import { trimmer } from '../history/history-entries-sqlite.ts';
import { durationOf, planRequest } from '../history/request-plan.ts';
import type { Recorded, RecordedRequest } from '../history/request-store.ts';
import { quarterOf } from '../kit/calendar.ts';
import { customerWriter } from '../people/customer-writer-sqlite.ts';
import { figureInvalidation, figureWriter } from '../reports/figure-rows-sqlite.ts';
import { openForWriting, statementRunner } from '../store/sqlite/open.ts';

/**
 * Sums (entries per account, use of integrations) and outdated figures, collected over a transaction and written by `finish`,
 * which runs before every commit; `forget` follows a rollback.
 */
function createSums(db: DatabaseSync) {
  const outdateFigures = figureInvalidation(db);
  const count = db.prepare(
    `INSERT INTO history_counts (account_id, entries) VALUES (?, ?) ON CONFLICT DO UPDATE SET entries = entries + excluded.entries`,
  );
  const insertUse = db.prepare(
    `INSERT INTO integration_use (integration_id, quarter, requests, last_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       requests = requests + excluded.requests, last_at = max(last_at, excluded.last_at)`,
  );
  const outdated = new Map<string, { account: number; quarter: number }>();
  const entries = new Map<number, number>();
  const uses = new Map<string, { integration: number; quarter: number; requests: number; lastAt: number }>();

  function forget(): void {
    outdated.clear();
    entries.clear();
    uses.clear();
  }
  return {
    addEntries(account: number, rows: number): void {
      entries.set(account, (entries.get(account) ?? 0) + rows);
    },
    addUse({ integration, at }: RecordedRequest): void {
      const quarter = quarterOf(at);
      const use = uses.get(`${integration} ${quarter}`) ?? { integration, quarter, requests: 0, lastAt: at };
      use.requests += 1;
      use.lastAt = Math.max(use.lastAt, at);
      uses.set(`${integration} ${quarter}`, use);
    },
    outdate(account: number, { startedAt }: CallRecord): void {
      const quarter = quarterOf(startedAt);
      outdated.set(`${account} ${quarter}`, { account, quarter });
    },
    finish(): void {
      for (const { account, quarter } of outdated.values()) outdateFigures(account, quarter);
      for (const [account, added] of entries) count.run(account, added);
      for (const { integration, quarter, requests, lastAt } of uses.values())
        insertUse.run(integration, quarter, requests, lastAt);
      forget();
    },
    forget,
  };
}

/** Writes requests, and what their plans say. */
function recorder(db: DatabaseSync, sums: ReturnType<typeof createSums>, monotonic: () => number) {
  const calls = callRows(db);
  const callerOf = callerLookup(db);
  const insert = db.prepare(
    `INSERT INTO history (account_id, integration_id, created_at, method, path, call_id, from_number, request, status,
       response, duration, effect) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  return (request: RecordedRequest, watched: boolean): Recorded => {
    const { account, integration, event, at, method, path, callId, fromNumber, status, response } = request;
    const before = event === null ? undefined : calls.get(account, event.id);
    const { call, effect, isUse } = planRequest(request, before, (number) => callerOf(account, number));
    if (call !== undefined) {
      if (before === undefined) calls.add(account, call);
      else calls.move(account, before, call);
      sums.outdate(account, call);
    }
    insert.run(
      ...[account, integration, at, method, path, callId, fromNumber],
      ...[request.request, status, response, durationOf(request, monotonic()), effect],
    );
    sums.addEntries(account, 1);
    if (isUse) sums.addUse(request);
    return { moved: call !== undefined, call: watched ? call : undefined };
  };
}

/** Who has a caller's number now. */
function callerLookup(db: DatabaseSync) {
  const select = db.prepare(
    `SELECT ${whoColumns} FROM customer_numbers n JOIN customers k ON k.id = n.customer_id
     LEFT JOIN segments s ON s.id = k.segment_id WHERE n.account_id = ? AND n.number = ?`,
  );
  return (account: number, number: string): Caller => {
    const row = select.get(account, number);
    return { number, ...(row ? whoOf(row) : { customer: null, segment: null, priority: null }) };
  };
}

/** The thread that writes: requests that come during a commit make the next one. */

const db = openForWriting(workerData.file);
const sums = createSums(db);
const trimStep = trimmer(db, (account, rows) => sums.addEntries(account, -rows));

const methods = {
  record: recorder(db, sums, preciseMs),
  trim(limits: Parameters<typeof trimStep>[0]): number {
    sums.finish(); // reads the counts again: another step of this transaction may have lowered them
    return trimStep(limits);
  },
  /** Answered after all requests before it. */
  catchUp(): void {},
  ...customerWriter(db),
  ...figureWriter(db),
  rows: statementRunner(db),
};

export type WriterMethods = typeof methods;

/** What has happened to the file of the database; undefined: it is there. */
export type WriterNotice = { readonly moved: string | undefined };

const transact = createTransact(db, {
  beforeCommit: () => sums.finish(),
  rolledBack: () => sums.forget(),
});

const file = watchFile(workerData.file);
const answer = answerTogether(methods, transact);

serveThread<WriterNotice>(({ notify }) => {
  let moved: string | undefined;
  /** What the file has come to; tells the main thread when that changes. */
  function look(): string | undefined {
    const now = file.look();
    if (now !== moved) notify({ moved: now });
    moved = now;
    return moved;
  }
  const watching = setInterval(look, WATCH_MS).unref();
  return {
    run(requests) {
      const what = moved !== undefined || file.isDue() ? look() : undefined;
      return what === undefined ? answer(requests) : refuseAll(requests, new FileMoved(what));
    },
    close() {
      clearInterval(watching);
      file.closeBy(() => db.close());
    },
  };
});
