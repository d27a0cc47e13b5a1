-- Whatever belongs to an account ends with it. Requests that arrive, or are written, after the removal of their account are
-- refused by the foreign keys, whatever the process that writes them knows.

-- At once, and in the order in which a change locks them, so that no process of version 1.0.0 and this one wait for each
-- other, and none adds a row between the deletes and the keys.
LOCK TABLE calls, history, history_counts, kept_figures, integration_use, old_token_uses, bridge_health, audit, caller_actions,
  customers, customer_numbers, segments, extensions, users, webhooks, integrations, accounts IN ACCESS EXCLUSIVE MODE;

-- Left by requests that ended after the removal of their account.
DELETE FROM calls WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM history WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM history_counts WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM kept_figures WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM audit WHERE account_id NOT IN (SELECT id FROM accounts) AND account_id <> 0;
DELETE FROM customer_numbers WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM integration_use WHERE integration_id NOT IN (SELECT id FROM integrations);

-- Entries of no account have null; version 1.0.0 writes 0.
ALTER TABLE audit ALTER COLUMN account_id DROP NOT NULL;
UPDATE audit SET account_id = NULL WHERE account_id = 0;
CREATE FUNCTION audit_of_no_account() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    new.account_id := NULL;
    RETURN new;
  END $$;
CREATE TRIGGER audit_of_no_account BEFORE INSERT ON audit FOR EACH ROW
  WHEN (new.account_id = 0) EXECUTE FUNCTION audit_of_no_account();

-- An integration goes only with its account, so calls and history need no key to it.
ALTER TABLE integrations DROP CONSTRAINT integrations_account_id_fkey,
  ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE segments DROP CONSTRAINT segments_account_id_fkey,
  ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE customers DROP CONSTRAINT customers_account_id_fkey,
  ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE users DROP CONSTRAINT users_account_id_fkey,
  ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE extensions DROP CONSTRAINT extensions_account_id_fkey,
  ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE caller_actions DROP CONSTRAINT caller_actions_account_id_fkey,
  ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE webhooks DROP CONSTRAINT webhooks_account_id_fkey,
  ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE customer_numbers ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE calls ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE history ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE history_counts ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE kept_figures ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE audit ADD FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE old_token_uses DROP CONSTRAINT old_token_uses_integration_id_fkey,
  ADD FOREIGN KEY (integration_id) REFERENCES integrations (id) ON DELETE CASCADE;
ALTER TABLE bridge_health DROP CONSTRAINT bridge_health_integration_id_fkey,
  ADD FOREIGN KEY (integration_id) REFERENCES integrations (id) ON DELETE CASCADE;
ALTER TABLE integration_use ADD FOREIGN KEY (integration_id) REFERENCES integrations (id) ON DELETE CASCADE;
