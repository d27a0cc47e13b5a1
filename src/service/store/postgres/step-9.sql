-- Whose phones rang: [who, from, for], and who talked: [who, from, to], as JSON; ms after the call began; `to` null: not observed.
-- NULL: not reported.
ALTER TABLE calls ADD COLUMN rang text;
ALTER TABLE calls ADD COLUMN talked text;
