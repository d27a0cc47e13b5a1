-- What a bridge has seen of calls to missed people: 'talked' for so many seconds, or 'tried'; `report` is its id of that. The check is
-- not part of what the table has on disk, so its definition is changed in place (see step-2.sql).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''reopened'', ''note'')', '''reopened'', ''note'', ''talked'', ''tried'')')
  WHERE type = 'table' AND name = 'caller_actions';
PRAGMA writable_schema = RESET;
ALTER TABLE caller_actions ADD COLUMN seconds INTEGER;
ALTER TABLE caller_actions ADD COLUMN report TEXT;
CREATE UNIQUE INDEX caller_actions_by_report ON caller_actions (account_id, report) WHERE report IS NOT NULL;
