CREATE INDEX event_dead ON event (seq) WHERE state = 2;
CREATE INDEX event_head ON event (seq) WHERE newest_at IS NOT NULL;
CREATE INDEX event_retry ON event (min(attempts, 16), next_at) WHERE newest_at IS NOT NULL AND attempts > 0;
CREATE INDEX event_untried ON event (newest_at) WHERE newest_at IS NOT NULL AND attempts = 0;
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    counted INTEGER NOT NULL,
    http_status INTEGER,
    error TEXT,
    duration_ms REAL NOT NULL
  ) STRICT;
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    call_id TEXT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    taken_at INTEGER NOT NULL,
    state INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    newest_at INTEGER,
    next_at INTEGER,
    settled_at INTEGER, rejections INTEGER NOT NULL DEFAULT 0,
    UNIQUE (call_id, status)
  ) STRICT;
CREATE TABLE journal (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, lines TEXT NOT NULL) STRICT;
CREATE TABLE open_call (id TEXT NOT NULL UNIQUE, state TEXT NOT NULL) STRICT;
CREATE TABLE tally (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    taken INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    last_seq INTEGER NOT NULL
  ) STRICT;
CREATE TABLE trunk (endpoint TEXT NOT NULL UNIQUE) STRICT;
