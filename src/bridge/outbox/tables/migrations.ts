import type { Schema } from '../../../shared/storage/migrate.ts';

/** The schema of the first release. */
const first = `
-- What was queued, once per call and status. state: 0 waiting, 1 delivered, 2 dead letter.
-- A call's next event is its oldest waiting one, the only one that may be sent. Only it has newest_at (when the
-- call's newest event was queued), and only one that was tried has next_at. All in one table, since each further
-- tree that an insert must touch costs a fifth of the speed.
CREATE TABLE event (
  seq INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  queued_at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  newest_at INTEGER,
  next_at INTEGER,
  finished_at INTEGER,
  -- How often the far side rejected the event: only these attempts make it a dead letter.
  rejections INTEGER NOT NULL DEFAULT 0,
  UNIQUE (call_id, status)
) STRICT;
CREATE INDEX event_next ON event (seq) WHERE newest_at IS NOT NULL;
CREATE INDEX event_untried ON event (newest_at) WHERE newest_at IS NOT NULL AND attempts = 0;
CREATE INDEX event_retry ON event (min(attempts, 16), next_at) WHERE newest_at IS NOT NULL AND attempts > 0;
CREATE INDEX event_dead ON event (seq) WHERE state = 2;

-- What became of each attempt: id = seq * 16 + slot; the last slot is overwritten, so that they are bounded.
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  counted INTEGER NOT NULL,
  http_status INTEGER,
  error TEXT,
  duration_ms REAL NOT NULL
) STRICT;

-- The tracker's calls that have not ended, opaque.
CREATE TABLE open_call (id TEXT NOT NULL UNIQUE, state TEXT NOT NULL) STRICT;

-- One row. queued = delivered + waiting + dead, in every committed state; lost: what a corrupt file took with it.
CREATE TABLE counters (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  queued INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  dead INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  last_seq INTEGER NOT NULL
) STRICT;
INSERT INTO counters VALUES (1, 0, 0, 0, 0, 0, 0);

-- What was seen and decided: a chunk of lines per batch. id: characters written so far. A repair does not save it.
CREATE TABLE journal (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, lines TEXT NOT NULL) STRICT;

-- Endpoints that inbound calls come in on: what made each a trunk, and the rest of its evidence, opaque.
CREATE TABLE trunk (endpoint TEXT NOT NULL UNIQUE, source TEXT NOT NULL, state TEXT NOT NULL) STRICT;

-- Calls that are not reported, and why. With event and open_call it is the ledger of decided calls.
CREATE TABLE unreported (call_id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, why TEXT NOT NULL) STRICT;
-- One row: how far Asterisk's call records were read, opaque.
CREATE TABLE cdr_checkpoint (id INTEGER PRIMARY KEY CHECK (id = 1), checkpoint TEXT NOT NULL) STRICT;
`;

const backfill = `
-- One row: what an operator wants of the call records of the past, how far that is, and what a dry run has found; all opaque.
CREATE TABLE backfill (id INTEGER PRIMARY KEY CHECK (id = 1), wish TEXT, progress TEXT, dry TEXT) STRICT;
`;

/** What a repair saves is listed in `recovery/repair.ts`: a new table must be added there as well. */
export const outboxSchema: Schema = {
  steps: [
    { name: '1.0.0', sql: first },
    { name: 'backfill', sql: backfill },
  ],
  ifOlder: 'let that version deliver what waits in it, then move the file away',
};
