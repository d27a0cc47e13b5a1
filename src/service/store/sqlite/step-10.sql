-- The last certificate of an integration's calls (JSON).
CREATE TABLE certificates (
  integration_id INTEGER PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  received_at INTEGER NOT NULL,
  certificate TEXT NOT NULL
) STRICT;
