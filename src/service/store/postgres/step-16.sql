-- How a user wants to hear of missed calls, a row for each medium that is on (see notification.ts); choice: JSON. since: of calls from then
-- on. held_until: a process is sending until then, or it is too early for the next message.
CREATE TABLE notifications (
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  medium text COLLATE "C" NOT NULL CHECK (medium IN ('mail', 'push')),
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  choice text NOT NULL,
  address text NOT NULL,
  since bigint NOT NULL,
  held_until bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, medium)
);
CREATE INDEX notifications_by_account ON notifications (account_id);
-- Missed calls that a user may have to hear of. at: when the end of the call arrived; done_at: the user was notified, or need not be.
CREATE TABLE missed_notices (
  call_row bigint NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  user_id bigint NOT NULL,
  medium text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  done_at bigint,
  PRIMARY KEY (call_row, user_id, medium),
  FOREIGN KEY (user_id, medium) REFERENCES notifications (user_id, medium) ON DELETE CASCADE
);
CREATE INDEX missed_notices_by_user ON missed_notices (user_id, medium, done_at, at);
-- Browsers that get push messages (the subscription of RFC 8030, and its keys of RFC 8291). session_id: whose end by the user ends
-- it, too; it outlives one that is idle.
CREATE TABLE push_devices (
  endpoint text COLLATE "C" PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  session_id text COLLATE "C" NOT NULL,
  public_key text NOT NULL,
  auth text NOT NULL,
  browser text NOT NULL,
  added_at bigint NOT NULL
);
CREATE INDEX push_devices_by_user ON push_devices (user_id, added_at);
CREATE INDEX push_devices_by_session ON push_devices (session_id);
