-- An entry of an index takes 2,704 bytes at most, and a customer may have a longer text: the index holds its beginning,
-- with the reference (of up to 255 characters) 2,620 bytes at most.
DROP INDEX customers_by_search;
CREATE INDEX customers_by_search ON customers (account_id, substr(search, 1, 400), reference);
