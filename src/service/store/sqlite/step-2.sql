-- Whatever belongs to an account ends with it, and no row id is given out twice. Requests that arrive, or are written, after
-- the removal of their account are refused by the foreign keys.

-- Ids that were given out and are gone must not come back either: rows of removed accounts still name them.
CREATE TABLE sequence_of_step_2 (id INTEGER PRIMARY KEY AUTOINCREMENT); -- makes the table sqlite_sequence
DROP TABLE sequence_of_step_2;
INSERT INTO sqlite_sequence (name, seq) SELECT 'accounts', max(id) FROM (
  SELECT max(id) AS id FROM accounts
  UNION ALL SELECT max(account_id) FROM calls
  UNION ALL SELECT max(account_id) FROM history
  UNION ALL SELECT max(account_id) FROM history_counts
  UNION ALL SELECT max(account_id) FROM kept_figures
  UNION ALL SELECT max(account_id) FROM audit
) WHERE id > 0 HAVING max(id) > 0;
INSERT INTO sqlite_sequence (name, seq) SELECT 'integrations', max(id) FROM (
  SELECT max(id) AS id FROM integrations UNION ALL SELECT max(integration_id) FROM integration_use
) WHERE id > 0 HAVING max(id) > 0;

-- Left by requests that ended after the removal of their account.
DELETE FROM calls WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM history WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM history_counts WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM kept_figures WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM audit WHERE account_id NOT IN (SELECT id FROM accounts) AND account_id <> 0;
DELETE FROM customer_numbers WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM integration_use WHERE integration_id NOT IN (SELECT id FROM integrations);

-- Foreign keys and AUTOINCREMENT are not part of what a table has on disk, so its definition is changed in place
-- (https://sqlite.org/lang_altertable.html, section 7): copying years of calls would take minutes and twice the disk.
-- An integration goes only with its account, so calls and history need no key to it.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql, ' REFERENCES accounts (id)', ''),
    'account_id INTEGER NOT NULL', 'account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE')
  WHERE type = 'table' AND sql LIKE '%account_id INTEGER NOT NULL%';
UPDATE sqlite_schema SET sql = replace(sql,
    'account_id INTEGER PRIMARY KEY', 'account_id INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE')
  WHERE type = 'table' AND name = 'history_counts';
-- Entries of no account have null.
UPDATE sqlite_schema SET sql = replace(sql, 'account_id INTEGER NOT NULL REFERENCES', 'account_id INTEGER REFERENCES')
  WHERE type = 'table' AND name = 'audit';
UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ' REFERENCES integrations (id)', ''),
    'integration_id INTEGER NOT NULL', 'integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE'),
    'integration_id INTEGER PRIMARY KEY', 'integration_id INTEGER PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE')
  WHERE type = 'table' AND name IN ('old_token_uses', 'bridge_health', 'integration_use');
UPDATE sqlite_schema SET sql = replace(sql, '  id INTEGER PRIMARY KEY,', '  id INTEGER PRIMARY KEY AUTOINCREMENT,')
  WHERE type = 'table' AND name IN ('accounts', 'integrations', 'segments', 'customers', 'calls', 'history', 'users',
    'caller_actions', 'audit', 'webhooks', 'webhook_deliveries');
PRAGMA writable_schema = RESET;

UPDATE audit SET account_id = NULL WHERE account_id = 0;
-- Version 1.0.0 writes 0.
CREATE TRIGGER audit_of_no_account AFTER INSERT ON audit WHEN new.account_id = 0 BEGIN
  UPDATE audit SET account_id = NULL WHERE id = new.id;
END;

