-- The last certificate of an integration's calls (JSON).
CREATE TABLE certificates (
  integration_id bigint PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  received_at bigint NOT NULL,
  certificate text NOT NULL
);
