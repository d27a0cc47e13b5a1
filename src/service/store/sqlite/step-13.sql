-- Notes are read by themselves: by time, and by the callers' numbers. Most of what is done about callers is something else.
CREATE INDEX notes_by_time ON caller_actions (account_id, at, id) WHERE kind = 'note';
CREATE INDEX notes_by_number ON caller_actions (account_id, number, at, id) WHERE kind = 'note';
-- Whom a user has promised to call back at a time: `due`.
CREATE INDEX promises_by_due ON caller_actions (account_id, due, number) WHERE due IS NOT NULL;
CREATE INDEX promises_by_number ON caller_actions (account_id, number, at, due) WHERE due IS NOT NULL;
