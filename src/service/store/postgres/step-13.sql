-- A colleague is reminded of somebody, or did not reach them and tries again, at `due`.
ALTER TABLE caller_actions DROP CONSTRAINT caller_actions_kind_check,
  ADD CONSTRAINT caller_actions_kind_check
    CHECK (kind IN ('taken', 'released', 'done', 'reopened', 'note', 'talked', 'tried', 'remind')),
  ADD COLUMN due bigint;
