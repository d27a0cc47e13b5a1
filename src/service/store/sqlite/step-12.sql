-- A colleague is reminded of somebody, or did not reach them and tries again, at `due`. See step-9.sql.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''talked'', ''tried'')', '''talked'', ''tried'', ''remind'')')
  WHERE type = 'table' AND name = 'caller_actions';
PRAGMA writable_schema = RESET;
ALTER TABLE caller_actions ADD COLUMN due INTEGER;
