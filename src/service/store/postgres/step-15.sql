-- Raised to make the token of the account's phone book a new one; 0 or less: it has none.
ALTER TABLE accounts ADD COLUMN phone_book_counter integer NOT NULL DEFAULT 0;
