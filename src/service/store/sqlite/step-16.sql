-- How the requests of a webhook look: shape, which of the events it gets: filter (both JSON), and its own headers, sealed (see
-- webhook-headers.ts). NULL: the JSON of each event, all of them, none.
ALTER TABLE webhooks ADD COLUMN shape TEXT;
ALTER TABLE webhooks ADD COLUMN headers TEXT;
ALTER TABLE webhooks ADD COLUMN filter TEXT;

-- What happened to people: their call backs, notes, and they as customers. Triggers write it in the transaction of the change, if
-- anybody wants it; it is queued for webhooks and programs after that (see person-event-store.ts). It holds nothing but whom it is
-- about, a number or a reference: what is sent is read from the rows. action_at: when a note was written.
CREATE TABLE person_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  about TEXT NOT NULL,
  action_row INTEGER REFERENCES caller_actions (id) ON DELETE SET NULL,
  action_at INTEGER,
  at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  queued INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX person_events_by_person ON person_events (account_id, about, id);
CREATE INDEX person_events_by_action ON person_events (action_row) WHERE action_row IS NOT NULL;
CREATE INDEX person_events_to_queue ON person_events (id) WHERE queued = 0;
ALTER TABLE webhook_deliveries ADD COLUMN event_row INTEGER REFERENCES person_events (id) ON DELETE CASCADE;
CREATE UNIQUE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_row, webhook_id);
ALTER TABLE call_events ADD COLUMN event_row INTEGER REFERENCES person_events (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX call_events_by_event ON call_events (event_row);

-- Nobody wants it, or the account is being removed.
CREATE TRIGGER person_events_wanted BEFORE INSERT ON person_events
  WHEN NOT EXISTS (SELECT 1 FROM accounts WHERE id = new.account_id) OR
    NOT EXISTS (SELECT 1 FROM event_feeds WHERE account_id = new.account_id) AND
    NOT EXISTS (SELECT 1 FROM webhooks WHERE account_id = new.account_id AND enabled
      AND ' ' || events || ' ' LIKE '% ' || new.event || ' %')
BEGIN
  SELECT RAISE(IGNORE);
END;
CREATE TRIGGER caller_actions_added AFTER INSERT ON caller_actions BEGIN
  INSERT INTO person_events (account_id, event, about, action_row, action_at, at)
  VALUES (new.account_id, CASE new.kind WHEN 'note' THEN 'note.added' ELSE 'call_back.' || new.kind END,
    new.number, new.id, new.at, new.at);
END;
CREATE TRIGGER notes_changed AFTER UPDATE OF text ON caller_actions WHEN new.kind = 'note' AND new.text IS NOT NULL BEGIN
  INSERT INTO person_events (account_id, event, about, action_row, action_at)
  VALUES (new.account_id, 'note.changed', new.number, new.id, new.at);
END;
-- A user removes a note by taking its text away; the row that goes by its age is no news.
CREATE TRIGGER notes_removed AFTER UPDATE OF text ON caller_actions WHEN new.kind = 'note' AND new.text IS NULL BEGIN
  DELETE FROM caller_actions WHERE id = new.id;
  INSERT INTO person_events (account_id, event, about, action_at)
  VALUES (new.account_id, 'note.removed', new.number, new.at);
END;
CREATE TRIGGER customers_added AFTER INSERT ON customers BEGIN
  INSERT INTO person_events (account_id, event, about) VALUES (new.account_id, 'customer.added', new.reference);
END;
CREATE TRIGGER customers_changed AFTER UPDATE ON customers BEGIN
  INSERT INTO person_events (account_id, event, about) VALUES (new.account_id, 'customer.changed', new.reference);
END;
CREATE TRIGGER customers_removed AFTER DELETE ON customers BEGIN
  INSERT INTO person_events (account_id, event, about) VALUES (old.account_id, 'customer.removed', old.reference);
END;
