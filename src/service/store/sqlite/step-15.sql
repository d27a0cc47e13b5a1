-- How a user wants to hear of missed calls, a row for each medium that is on (see notification.ts); choice: JSON. since: of calls from then
-- on. held_until: a process is sending until then, or it is too early for the next message.
CREATE TABLE notifications (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  medium TEXT NOT NULL CHECK (medium IN ('mail', 'push')),
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  choice TEXT NOT NULL,
  address TEXT NOT NULL,
  since INTEGER NOT NULL,
  held_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, medium)
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_by_account ON notifications (account_id);
-- Missed calls that a user may have to hear of. at: when the end of the call arrived; done_at: the user was notified, or need not be.
CREATE TABLE missed_notices (
  call_row INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL,
  medium TEXT NOT NULL,
  at INTEGER NOT NULL,
  done_at INTEGER,
  PRIMARY KEY (call_row, user_id, medium),
  FOREIGN KEY (user_id, medium) REFERENCES notifications (user_id, medium) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX missed_notices_by_user ON missed_notices (user_id, medium, done_at, at);
-- Browsers that get push messages (the subscription of RFC 8030, and its keys of RFC 8291). session_id: whose end by the user ends
-- it, too; it outlives one that is idle.
CREATE TABLE push_devices (
  endpoint TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  auth TEXT NOT NULL,
  browser TEXT NOT NULL,
  added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX push_devices_by_user ON push_devices (user_id, added_at);
CREATE INDEX push_devices_by_session ON push_devices (session_id);
