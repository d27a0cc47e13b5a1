-- When a call was last changed by an event, by the service's clock; NULL: by a version that did not note it, and then the time of
-- its last event.
ALTER TABLE calls ADD COLUMN updated_at INTEGER;
CREATE INDEX calls_by_update ON calls (account_id, coalesce(updated_at, completed_at, answered_at, started_at));
-- Accounts whose programs read the events of calls by /admin/events, from `since` on. read_at: about when one was last asked for.
CREATE TABLE event_feeds (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  since INTEGER NOT NULL,
  read_at INTEGER NOT NULL
) STRICT;
-- Their events, in the order in which they are given. The first row of a feed, and that of a call which is deleted, have no call.
CREATE TABLE call_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  call_row INTEGER REFERENCES calls (id) ON DELETE SET NULL,
  event TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (call_row, event)
) STRICT;
CREATE INDEX call_events_by_account ON call_events (account_id, id);
