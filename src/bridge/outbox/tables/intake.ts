import type { DatabaseSync } from 'node:sqlite';
import { parseJson } from '../../../shared/process/parse-json.ts';
import { BrokenInvariant } from '../../../shared/storage/storage-error.ts';
import type { CounterKeeper } from './counters.ts';

/**
 * What is queued together, as it is sent to the thread: flat lists, because copying many small objects costs more than
 * writing them to disk.
 */
export type IntakeBatch = {
  /** id, state, id, state, … of calls that changed; null instead of a state: the call has ended, forget it. */
  readonly calls: (string | null)[];
  /** endpoint, source, state, endpoint, … of trunks that changed; null instead of a state: it is no trunk. */
  readonly trunks: (string | null)[];
  /** callId, status, body, callId, status, body, … */
  readonly events: string[];
  /** queuedAt of each event. */
  readonly queuedAt: number[];
  /** Lines of the journal, in order; '' for none. One text, since each object that crosses over costs. */
  readonly journal: string;
  /** Unix ms of the last of them. */
  readonly journalAt: number;
  /** id, at, why, id, at, why, … of calls that are not reported. */
  readonly unreported: (string | number)[];
  /** How far Asterisk's call records were read; '' if unchanged. */
  readonly cdrCheckpoint: string;
  /** How far those of the past are; '' if unchanged. */
  readonly backfill: string;
};

/** Instead of a number: the event waits behind an earlier one of its call. */
export const behind = 0;
/** Instead of a number: this status of this call was queued before. */
export const repeated = -1;

/** Rows in one INSERT: with one each, a third of the time goes into calling SQLite. */
const chunk = 50;

/** Values that are given for each row. */
const width = 6;

export const intakeSql = {
  eventsOfCalls: `SELECT e.seq, e.call_id, e.status, e.state, e.newest_at
    FROM json_each(?) j CROSS JOIN event e ON e.call_id = j.value`,
  touch: 'UPDATE event SET newest_at = max(newest_at, ?) WHERE seq = ? AND newest_at IS NOT NULL',
} as const;

/** Inserts the rows of events, many in one statement. */
function createEventInsert(db: DatabaseSync) {
  const insert = (rows: number) =>
    db.prepare(
      `INSERT INTO event (seq, call_id, status, body, queued_at, newest_at, state, attempts)
       VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, 0, 0)').join(', ')}`,
    );
  const [insertOne, insertChunk] = [insert(1), insert(chunk)];
  return (values: ReturnType<typeof numberEvents>['values']): void => {
    let done = 0;
    for (; done + chunk * width <= values.length; done += chunk * width)
      insertChunk.run(...values.slice(done, done + chunk * width));
    for (; done < values.length; done += width) insertOne.run(...values.slice(done, done + width));
  };
}

/** Writes changed calls and trunks, and the events to report. Runs inside the caller's transaction. */
export function createIntake(
  db: DatabaseSync,
  counters: CounterKeeper,
  writeLines: (lines: string, at: number) => void,
  saveTrunks: (rows: readonly (string | null)[]) => void,
  writeLedger: (unreported: readonly (string | number)[], cdrCheckpoint: string) => void,
  saveBackfill: (column: 'progress', text: string) => void,
) {
  const save = db.prepare(
    'INSERT INTO open_call (id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state',
  );
  const free = db.prepare('DELETE FROM open_call WHERE id = ?');
  const eventsOfCalls = db.prepare(intakeSql.eventsOfCalls);
  const touch = db.prepare(intakeSql.touch);
  const insertEvents = createEventInsert(db);

  /** What the table has of these calls, by one query. */
  function known(callIds: ReadonlySet<string>): Map<string, KnownCall> {
    const calls = new Map<string, KnownCall>();
    for (const row of eventsOfCalls.all(JSON.stringify([...callIds])) as CallEventRow[]) {
      const call = calls.get(row.call_id) ?? { statuses: [], next: undefined, waiting: false };
      call.statuses.push(row.status);
      if (row.newest_at !== null) call.next = row.seq;
      if (row.state === 0) call.waiting = true;
      calls.set(row.call_id, call);
    }
    for (const [id, { waiting, next }] of calls) {
      if (waiting && next === undefined)
        throw new BrokenInvariant(`events of ${id} wait, but none is its next`);
    }
    return calls;
  }

  return {
    /** For each event: its number if it is the next event of its call, else `behind` or `repeated`. */
    append({ calls, trunks, events, queuedAt, ...rest }: IntakeBatch): number[] {
      writeLines(rest.journal, rest.journalAt);
      writeLedger(rest.unreported, rest.cdrCheckpoint);
      if (rest.backfill !== '') saveBackfill('progress', rest.backfill);
      for (let i = 0; i < calls.length; i += 2) {
        const [id, state] = [calls[i] as string, calls[i + 1] as string | null];
        if (state === null) free.run(id);
        else save.run(id, state);
      }
      saveTrunks(trunks);
      if (queuedAt.length === 0) return [];

      const ids = new Set<string>();
      for (let i = 0; i < events.length; i += 3) ids.add(events[i] as string);
      const { numbers, values, touched } = numberEvents(events, queuedAt, known(ids), counters.take);
      insertEvents(values);
      for (const [next, at] of touched) touch.run(at, next);
      return numbers;
    },
  };
}

/**
 * Numbers new events. `there`: what the table has of their calls. Returns what `append` does, the values of the rows to
 * insert, and when an event queued behind each next event was queued last.
 */
export function numberEvents(
  events: readonly string[],
  queuedAt: readonly number[],
  there: Map<string, KnownCall>,
  takeNumber: () => number,
) {
  const values: (string | number | null)[] = [];
  const touched = new Map<number, number>();
  const numbers = queuedAt.map((at, i) => {
    const [callId, status, body] = events.slice(i * 3, i * 3 + 3) as [string, string, string];
    const call = there.get(callId) ?? { statuses: [], next: undefined, waiting: true };
    if (call.statuses.includes(status)) return repeated;
    there.set(callId, call);
    call.statuses.push(status);
    const seq = takeNumber();
    values.push(seq, callId, status, body, at, call.next === undefined ? at : null);
    if (call.next === undefined) {
      call.next = seq;
      return seq;
    }
    touched.set(call.next, Math.max(at, touched.get(call.next) ?? at));
    return behind;
  });
  return { numbers, values, touched };
}

/** Appends these batches as one; returns what `append` returns for each. */
export function appendTogether(
  append: (batch: IntakeBatch) => number[],
  batches: readonly IntakeBatch[],
): number[][] {
  const numbers = append({
    calls: batches.flatMap(({ calls }) => calls),
    trunks: batches.flatMap(({ trunks }) => trunks),
    events: batches.flatMap(({ events }) => events),
    queuedAt: batches.flatMap(({ queuedAt }) => queuedAt),
    journal: batches.flatMap(({ journal }) => journal || []).join('\n'),
    journalAt: Math.max(...batches.map(({ journalAt }) => journalAt)),
    unreported: batches.flatMap(({ unreported }) => unreported),
    cdrCheckpoint: batches.findLast(({ cdrCheckpoint }) => cdrCheckpoint !== '')?.cdrCheckpoint ?? '',
    backfill: batches.findLast(({ backfill }) => backfill !== '')?.backfill ?? '',
  });
  let from = 0;
  return batches.map(({ queuedAt }) => {
    const own = numbers.slice(from, from + queuedAt.length);
    from += queuedAt.length;
    return own;
  });
}

type KnownCall = { readonly statuses: string[]; next: number | undefined; waiting: boolean };

type CallEventRow = {
  readonly seq: number;
  readonly call_id: string;
  readonly status: string;
  readonly state: number;
  readonly newest_at: number | null;
};

/** Whether a body is of this call and status: a flipped bit in either of the two copies shows. */
export function isBodyOf(body: string, callId: string, status: string): boolean {
  const event = (parseJson(body) ?? {}) as Readonly<Record<string, unknown>>;
  return event.id === callId && event.status === status;
}
