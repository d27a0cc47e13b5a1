-- Made from migrations.ts; UPDATE_SCHEMA=1 makes it anew.
CREATE INDEX calls_by_customer ON calls (account_id, customer_reference, started_at)
    WHERE customer_reference IS NOT NULL;

CREATE INDEX calls_by_extension ON calls (account_id, caller_id, started_at) WHERE caller_id IS NOT NULL;

CREATE INDEX calls_by_number ON calls (account_id, number, started_at);

CREATE INDEX calls_by_time ON calls (account_id, started_at);

CREATE INDEX calls_missed ON calls (account_id, completed_at) WHERE missed = 1;

CREATE INDEX calls_open ON calls (account_id, started_at) WHERE status <> 'completed';

CREATE INDEX customer_numbers_by_customer ON customer_numbers (customer_id);

CREATE INDEX customers_by_search ON customers (account_id, search, reference);

CREATE INDEX customers_by_segment ON customers (segment_id);

CREATE INDEX history_by_call ON history (account_id, call_id, created_at) WHERE call_id IS NOT NULL;

CREATE INDEX history_by_time ON history (account_id, created_at);

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE INDEX users_by_account ON users (account_id);

CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    country TEXT,
    token_counter INTEGER NOT NULL DEFAULT 1
  , time_zone TEXT) STRICT;

CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    integration_id INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ringing', 'answered', 'completed')),
    from_number TEXT NOT NULL,
    number TEXT NOT NULL,
    customer_reference TEXT,
    customer_name TEXT,
    segment TEXT,
    priority INTEGER,
    caller_id TEXT,
    started_at INTEGER NOT NULL,
    ringing_at INTEGER,
    answered_at INTEGER,
    completed_at INTEGER,
    missed INTEGER,
    UNIQUE (account_id, call_id)
  ) STRICT;

CREATE TABLE customer_numbers (
    account_id INTEGER NOT NULL,
    number TEXT NOT NULL,
    customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
    PRIMARY KEY (account_id, number)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    reference TEXT NOT NULL,
    name TEXT NOT NULL,
    segment_id INTEGER REFERENCES segments (id) ON DELETE SET NULL, search TEXT NOT NULL DEFAULT '',
    UNIQUE (account_id, reference)
  ) STRICT;

CREATE TABLE directory (version INTEGER NOT NULL) STRICT;

CREATE TABLE dismissed_calls (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (user_id, call_id)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL,
    integration_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    call_id TEXT,
    request ANY NOT NULL,
    status INTEGER NOT NULL,
    response TEXT,
    duration REAL NOT NULL
  ) STRICT;

CREATE TABLE history_counts (account_id INTEGER PRIMARY KEY, entries INTEGER NOT NULL) STRICT;

CREATE TABLE integration_use (
    integration_id INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (integration_id, quarter)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE integrations (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    token_counter INTEGER NOT NULL DEFAULT 1,
    enabled INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
  ) STRICT;

CREATE TABLE kept_figures (
    account_id INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    moves INTEGER NOT NULL,
    figures TEXT NOT NULL,
    PRIMARY KEY (account_id, since, until)
  ) STRICT;

CREATE TABLE report_hours (
    account_id INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    answered INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    rang_ms INTEGER NOT NULL,
    talked_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, hour)
  ) STRICT, WITHOUT ROWID;

CREATE TABLE segments (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    priority INTEGER NOT NULL,
    UNIQUE (account_id, name)
  ) STRICT;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    opened_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    sign_in_name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('administrator', 'agent')),
    password TEXT,
    created_at INTEGER NOT NULL
  , link_counter INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TRIGGER accounts_added AFTER INSERT ON accounts BEGIN UPDATE directory SET version = version + 1; END;

CREATE TRIGGER accounts_changed AFTER UPDATE ON accounts BEGIN UPDATE directory SET version = version + 1; END;

CREATE TRIGGER integrations_added AFTER INSERT ON integrations BEGIN UPDATE directory SET version = version + 1; END;

CREATE TRIGGER integrations_changed AFTER UPDATE ON integrations BEGIN UPDATE directory SET version = version + 1; END;
