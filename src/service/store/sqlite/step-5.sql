-- A report asks of each missed call for the first later one of the number that was answered. A number that calls all day, and
-- that nobody answers, has thousands of calls between.
CREATE INDEX calls_answered_by_number ON calls (account_id, number, started_at) WHERE answered_at IS NOT NULL OR NOT missed;
