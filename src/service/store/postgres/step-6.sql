-- A report asks of each missed call for the first later one of the number that was answered. A number that calls all day, and
-- that nobody answers, has thousands of calls between.
CREATE INDEX calls_answered_by_number ON calls (account_id, number, started_at, id) WHERE answered_at IS NOT NULL OR NOT missed;
-- One look into the index for each kept span. With EXISTS, the server may read all calls of the number for each.
CREATE OR REPLACE FUNCTION number_changed(account bigint, caller text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM calls c WHERE c.account_id = account AND c.number = caller) THEN
      DELETE FROM kept_figures f WHERE f.account_id = account AND f.until > (SELECT c.started_at FROM calls c
        WHERE c.account_id = account AND c.number = caller AND c.started_at >= f.since ORDER BY c.started_at LIMIT 1);
    END IF;
  END $$;
