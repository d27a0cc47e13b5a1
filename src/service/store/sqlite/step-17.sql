-- After how many days an account's calls lose their callers' numbers; NULL: never, before they are deleted.
ALTER TABLE accounts ADD COLUMN numbers_kept_days INTEGER;
-- The caller's segment as the number was dropped: reports still count the call by it.
ALTER TABLE calls ADD COLUMN segment_id INTEGER REFERENCES segments (id) ON DELETE SET NULL;
CREATE INDEX calls_by_segment ON calls (segment_id) WHERE segment_id IS NOT NULL;
CREATE TRIGGER segments_removed BEFORE DELETE ON segments
  WHEN EXISTS (SELECT 1 FROM calls WHERE segment_id = old.id) BEGIN
  DELETE FROM kept_figures WHERE account_id = old.account_id;
END;
