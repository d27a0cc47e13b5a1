import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import type { DeliveryQueue, DeliveryResult } from '../../shared/delivery/queue.ts';
import type { Log, LogFields } from '../../shared/log/log.ts';
import { openOperator } from './operator.ts';
import { type Batch, type NewEvent, type Outbox, openOutbox } from './outbox.ts';
import { type EventFilter, openReader } from './reader.ts';
import { databasePath } from './tables/database.ts';
import type { StoredEvent } from './tables/history.ts';
import { slots } from './tables/outcomes.ts';
import type { KeeperOptions } from './worker/keeper.ts';

type Scope = Pick<TestContext, 'after'>;
const endings = new WeakMap<Scope, (() => unknown)[]>();

/** Runs `end` after the test; what was begun last ends first. */
export function atEnd(t: Scope, end: () => unknown): void {
  const begun = endings.get(t);
  if (begun) return void begun.push(end);
  const all = [end];
  endings.set(t, all);
  t.after(async () => {
    for (const one of all.reverse()) await one();
  });
}

/** What a version of the future does to a database with a step that this one cannot live with. */
export const byNewer = `INSERT INTO written_by VALUES (${Number.MAX_SAFE_INTEGER}, 'pbx-bridge', '9.0.0', 9, 9)`;

/** A folder that is gone after the test. */
export function temporaryFolder(t: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type KeepingLog = Log & {
  readonly lines: { code: string; fields: LogFields }[];
  /** Resolves when this has been logged. */
  seen(code: string): Promise<void>;
};

/** A log that keeps its lines. */
export function keepingLog(): KeepingLog {
  const lines: KeepingLog['lines'] = [];
  const said = new EventEmitter();
  const log: KeepingLog = {
    lines,
    say(code, fields = {}) {
      lines.push({ code, fields });
      said.emit(code);
    },
    child: () => log,
    async seen(code) {
      if (!lines.some((line) => line.code === code)) await once(said, code);
    },
  };
  return log;
}

/** An outbox that is closed after the test. */
export async function opened(t: Scope, options: KeeperOptions, log: Log = keepingLog()): Promise<Outbox> {
  const outbox = await openOutbox(options, { log });
  atEnd(t, () => outbox.close());
  return outbox;
}

export function newEvent(callId: string, status: CallStatus, queuedAt = 0, more: object = {}): NewEvent {
  const body = JSON.stringify({ id: callId, direction: 'inbound', status, ...more });
  return { callId, status, body, queuedAt };
}

type Events = Readonly<Record<string, CallStatus>>;

/** A batch of events alone, `{ call: status }`, all queued at `queuedAt`. */
export function batchOf(events: Events | readonly Events[], queuedAt = 0): Batch {
  const list = [events].flat().flatMap((each) => Object.entries(each));
  return { calls: [], trunks: [], events: list.map(([id, status]) => newEvent(id, status, queuedAt)) };
}

/** Events of an outbox that is there, oldest first, as the command line sees them while it is open. */
export function eventsOf(directory: string, filter: Omit<EventFilter, 'limit'>): StoredEvent[] {
  const reader = openReader(directory);
  try {
    return reader?.events({ ...filter, limit: 10_000 }).reverse() ?? [];
  } finally {
    reader?.close();
  }
}

/** Numbers of the events of which attempts are kept. */
export function attempted(directory: string): unknown[] {
  const db = new DatabaseSync(databasePath(directory), { readOnly: true });
  const rows = db.prepare(`SELECT DISTINCT id / ${slots} AS seq FROM attempt`).all();
  db.close();
  return rows.map(({ seq }) => seq);
}

/** Sends dead letters again at `now` (Unix ms), as the command line does while the outbox is open. */
export function resend(directory: string, seqs: readonly number[], now = 0): number {
  const operator = openOperator(directory, () => now);
  try {
    return operator?.resend(seqs) ?? 0;
  } finally {
    operator?.close();
  }
}

/** What became of an attempt; delivered at 0 unless said otherwise. */
export function resultOf(seq: number, callId: string, rest: Partial<DeliveryResult> = {}): DeliveryResult {
  return { seq, callId, outcome: 'delivered', at: 0, counted: true, durationMs: 1, ...rest };
}

type Query = Parameters<DeliveryQueue['due']>[0];

/** Numbers of the due events of a priority; everything is fresh, and due, unless said otherwise. */
export async function due(outbox: Outbox, query: Partial<Query>): Promise<number[]> {
  const all: Query = { priority: 'fresh', now: 1_000_000, freshSince: 0, limit: 100, except: [] };
  return seqs(await outbox.due({ ...all, ...query }));
}

export const seqs = (events: readonly { seq: number }[]): number[] => events.map(({ seq }) => seq);

/** Plays each row on an empty outbox, in a test of its own. */
export function playRows(
  rows: readonly [name: string, play: (outbox: Outbox, directory: string) => Promise<void>][],
): void {
  for (const [name, play] of rows)
    test(`outbox: ${name}`, async (t) => {
      const directory = temporaryFolder(t);
      await play(await opened(t, { directory }), directory);
    });
}

/** A trunk as the bridge saves it. */
export function trunk(endpoint: string): { endpoint: string; source: string; state: string } {
  return { endpoint, source: 'heard', state: '{"context":"from-trunk"}' };
}
