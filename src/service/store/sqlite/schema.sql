-- The tables of the service on SQLite.

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  country TEXT,
  time_zone TEXT,
  token_counter INTEGER NOT NULL DEFAULT 1,
  -- The address of a caller in the office's own program (see crm-link.ts), and whether agents may delete customers and notes.
  crm_url TEXT,
  agents_delete INTEGER NOT NULL DEFAULT 0,
  -- Seconds: the goal that reports compare times to answer with.
  answer_within INTEGER NOT NULL DEFAULT 20,
  -- JSON (see opening-hours.ts); null: none.
  opening_hours TEXT,
  -- What who runs the service allows it; null: no limit.
  requests_per_minute INTEGER,
  most_users INTEGER
) STRICT;

CREATE TABLE integrations (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  token_counter INTEGER NOT NULL DEFAULT 1,
  -- Until when the token of the counter before is accepted, too; null: no longer.
  old_token_until INTEGER,
  enabled INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT;

-- From where a replaced token, that of token_counter, is still used.
CREATE TABLE old_token_uses (
  integration_id INTEGER NOT NULL REFERENCES integrations (id),
  token_counter INTEGER NOT NULL,
  address TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (integration_id, token_counter, address)
) STRICT, WITHOUT ROWID;

-- What the bridge of an integration last reported of itself (JSON).
CREATE TABLE bridge_health (
  integration_id INTEGER PRIMARY KEY REFERENCES integrations (id),
  heard_at INTEGER NOT NULL,
  report TEXT NOT NULL
) STRICT;

-- One row: raised by every change of accounts, integrations and names of extensions, also by another process (the command line).
CREATE TABLE directory (version INTEGER NOT NULL) STRICT;
INSERT INTO directory VALUES (1);
CREATE TRIGGER accounts_added AFTER INSERT ON accounts BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER accounts_changed AFTER UPDATE ON accounts BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER integrations_added AFTER INSERT ON integrations BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER integrations_changed AFTER UPDATE ON integrations BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER accounts_removed AFTER DELETE ON accounts BEGIN UPDATE directory SET version = version + 1; END;

CREATE TABLE segments (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  priority INTEGER NOT NULL,
  UNIQUE (account_id, name)
) STRICT;

CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  reference TEXT NOT NULL,
  name TEXT NOT NULL,
  segment_id INTEGER REFERENCES segments (id) ON DELETE SET NULL,
  -- What a customer is found and listed by (see customer-fields.ts).
  search TEXT NOT NULL,
  UNIQUE (account_id, reference)
) STRICT;
CREATE INDEX customers_by_search ON customers (account_id, search, reference);
CREATE INDEX customers_by_segment ON customers (segment_id);

CREATE TABLE customer_numbers (
  account_id INTEGER NOT NULL,
  number TEXT NOT NULL,
  customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX customer_numbers_by_customer ON customer_numbers (customer_id);

-- A call and its activity record. Its customer is who has its number now (see call-rows.ts). Times are Unix milliseconds.
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL,
  integration_id INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ringing', 'answered', 'completed')),
  from_number TEXT NOT NULL,
  number TEXT NOT NULL,
  caller_id TEXT,
  started_at INTEGER NOT NULL,
  ringing_at INTEGER,
  answered_at INTEGER,
  completed_at INTEGER,
  missed INTEGER,
  -- What only some bridges send (call-extras.ts): missed_after in seconds, ended_at by the bridge's clock.
  number_called TEXT,
  line TEXT,
  missed_where TEXT,
  missed_name TEXT,
  missed_by TEXT,
  missed_after INTEGER,
  ended_at INTEGER,
  UNIQUE (account_id, call_id)
) STRICT;
CREATE INDEX calls_open ON calls (account_id, started_at) WHERE status <> 'completed';
CREATE INDEX calls_missed ON calls (account_id, completed_at) WHERE missed;
CREATE INDEX calls_missed_by_number ON calls (account_id, number, completed_at) WHERE missed;
CREATE INDEX calls_by_time ON calls (account_id, started_at);
CREATE INDEX calls_by_number ON calls (account_id, number, started_at);
CREATE INDEX calls_by_number_called ON calls (account_id, number_called, started_at)
  WHERE number_called IS NOT NULL;
CREATE INDEX calls_by_extension ON calls (account_id, caller_id, started_at) WHERE caller_id IS NOT NULL;

-- Every authenticated request. created_at in Unix milliseconds; request is text, or bytes that are no UTF-8.
-- call_id and from_number are what it names, accepted or not: it is found by them.
CREATE TABLE history (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL,
  integration_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  call_id TEXT,
  from_number TEXT,
  request ANY NOT NULL,
  status INTEGER NOT NULL,
  response TEXT,
  duration REAL NOT NULL,
  effect TEXT
) STRICT;
CREATE INDEX history_by_time ON history (account_id, created_at);
CREATE INDEX history_by_call ON history (account_id, call_id, created_at) WHERE call_id IS NOT NULL;
CREATE INDEX history_by_number ON history (account_id, from_number, created_at) WHERE from_number IS NOT NULL;

-- How many entries each account has: counting five million rows for every page would take a second.
CREATE TABLE history_counts (account_id INTEGER PRIMARY KEY, entries INTEGER NOT NULL) STRICT;

-- sign_in_name is unique in its account; the sign-in page takes the oldest user of a name unless its address names an
-- account. link_counter is raised by every new one-time link, its use, and every change of the password: only the newest
-- link can be used. second_factor is what the secret of the codes is derived from; code_step the last step whose code was
-- used; recovery_codes are hashes, each with a blank after it.
CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  sign_in_name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('administrator', 'agent')),
  language TEXT NOT NULL DEFAULT '',
  password TEXT,
  created_at INTEGER NOT NULL,
  link_counter INTEGER NOT NULL DEFAULT 0,
  second_factor TEXT,
  code_step INTEGER NOT NULL DEFAULT 0,
  recovery_codes TEXT NOT NULL DEFAULT '',
  -- Which calls the bar shows, as JSON (see page-request.ts); null: all.
  bar TEXT,
  UNIQUE (account_id, sign_in_name)
) STRICT;
CREATE INDEX users_by_name ON users (sign_in_name);

-- What administrators say of extensions. Only those with a name or a user have a row.
CREATE TABLE extensions (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  extension TEXT NOT NULL,
  name TEXT NOT NULL,
  user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  PRIMARY KEY (account_id, extension)
) STRICT, WITHOUT ROWID;
CREATE INDEX extensions_by_user ON extensions (user_id);
CREATE TRIGGER extensions_added AFTER INSERT ON extensions BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER extensions_changed AFTER UPDATE ON extensions BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER extensions_removed AFTER DELETE ON extensions BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER users_renamed AFTER UPDATE OF name ON users BEGIN UPDATE directory SET version = version + 1; END;

-- id is a hash of the browser's cookie: with a copy of this table alone one cannot sign in.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  opened_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  address TEXT NOT NULL,
  browser TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);

-- Who gets the weekly report by mail, and the newest week that was sent: its Monday, such as 2026-11-16.
CREATE TABLE weekly_reports (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  sent_week TEXT NOT NULL
) STRICT;

-- What users did about callers who were missed, and their notes about callers. Times are Unix milliseconds.
CREATE TABLE caller_actions (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  number TEXT NOT NULL,
  at INTEGER NOT NULL,
  user_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('taken', 'released', 'done', 'reopened', 'note')),
  text TEXT
) STRICT;
CREATE INDEX caller_actions_by_number ON caller_actions (account_id, number, at);
CREATE INDEX caller_actions_by_time ON caller_actions (account_id, at);

-- Who did what (see audit-store.ts). account_id 0: of no account.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  who TEXT NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (account_id, at);
CREATE INDEX audit_by_what ON audit (account_id, what, at);
CREATE INDEX audit_by_who ON audit (account_id, who, at, what);

-- What the calls that began in a span that is over come to, as JSON; a mark alone while they are counted. A call that
-- moves deletes the rows of its span (see kept-figures.ts).
CREATE TABLE kept_figures (
  account_id INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  mark INTEGER NOT NULL,
  figures TEXT,
  PRIMARY KEY (account_id, since, until)
) STRICT;
-- They are by segment, too: a number that gets another one deletes the rows of the spans in which it called. Each
-- begins by asking whether it ever did: most numbers of an import never have.
CREATE TRIGGER numbers_added AFTER INSERT ON customer_numbers
  WHEN (SELECT segment_id FROM customers WHERE id = new.customer_id) IS NOT NULL BEGIN
  DELETE FROM kept_figures WHERE account_id = new.account_id
    AND EXISTS (SELECT 1 FROM calls WHERE account_id = new.account_id AND number = new.number)
    AND EXISTS (SELECT 1 FROM calls WHERE account_id = new.account_id AND number = new.number
      AND started_at >= kept_figures.since AND started_at < kept_figures.until);
END;
CREATE TRIGGER numbers_removed AFTER DELETE ON customer_numbers BEGIN
  DELETE FROM kept_figures WHERE account_id = old.account_id
    AND EXISTS (SELECT 1 FROM calls WHERE account_id = old.account_id AND number = old.number)
    AND EXISTS (SELECT 1 FROM calls WHERE account_id = old.account_id AND number = old.number
      AND started_at >= kept_figures.since AND started_at < kept_figures.until);
END;
CREATE TRIGGER segments_changed AFTER UPDATE OF segment_id ON customers
  WHEN old.segment_id IS NOT new.segment_id BEGIN
  DELETE FROM kept_figures WHERE account_id = new.account_id
    AND EXISTS (SELECT 1 FROM customer_numbers n CROSS JOIN calls c ON c.account_id = n.account_id AND c.number = n.number
      WHERE n.customer_id = new.id)
    AND EXISTS (SELECT 1 FROM customer_numbers n CROSS JOIN calls c ON c.account_id = n.account_id AND c.number = n.number
      WHERE n.customer_id = new.id AND c.started_at >= kept_figures.since AND c.started_at < kept_figures.until);
END;

-- Requests by quarter of an hour since 1970: every time zone's day begins with one.
CREATE TABLE integration_use (
  integration_id INTEGER NOT NULL,
  quarter INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (integration_id, quarter)
) STRICT, WITHOUT ROWID;

-- Where events of an account's calls are posted (src/service/webhooks/). events: their names, with blanks between them.
-- since: events from then on. failure: why the service switched it off. failing_since: nothing has arrived from then on.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  secret_counter INTEGER NOT NULL DEFAULT 1,
  -- Until when deliveries are signed with the secret of the counter before, too; null: no longer.
  old_secret_until INTEGER,
  enabled INTEGER NOT NULL DEFAULT 1,
  since INTEGER NOT NULL,
  failure TEXT CHECK (failure IN ('gone', 'failing')),
  failing_since INTEGER
) STRICT;

-- An event and its webhook. It holds nothing of the call: what is sent is made from its row. call_row null: a test.
-- tries: all requests; attempts: those that count against the event.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  call_row INTEGER REFERENCES calls (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'retry', 'delivered', 'failed')),
  queued_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  rejections INTEGER NOT NULL DEFAULT 0,
  -- Of the last request.
  tried_at INTEGER,
  http_status INTEGER,
  answer TEXT,
  UNIQUE (call_row, webhook_id, event)
) STRICT;
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, queued_at);
CREATE INDEX webhook_deliveries_by_id ON webhook_deliveries (webhook_id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id) WHERE state = 'failed';

-- One row: the process that delivers, until when, and the place in the calls' changes that it has read to.
CREATE TABLE webhook_reader (holder TEXT NOT NULL, held_until INTEGER NOT NULL, place TEXT) STRICT;
INSERT INTO webhook_reader VALUES ('', 0, NULL);
