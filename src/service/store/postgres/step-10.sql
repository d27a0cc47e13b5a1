-- What a bridge has seen of calls to missed people: 'talked' for so many seconds, or 'tried'; `report` is its id of that.
ALTER TABLE caller_actions DROP CONSTRAINT caller_actions_kind_check,
  ADD CONSTRAINT caller_actions_kind_check
    CHECK (kind IN ('taken', 'released', 'done', 'reopened', 'note', 'talked', 'tried')),
  ADD COLUMN seconds integer,
  ADD COLUMN report text COLLATE "C";
CREATE UNIQUE INDEX caller_actions_by_report ON caller_actions (account_id, report) WHERE report IS NOT NULL;
