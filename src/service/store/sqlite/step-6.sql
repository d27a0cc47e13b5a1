-- What a lookup says of a caller besides the priority: the customer's language as of ISO 639-1, and whether the office does not
-- want these calls (yes); '' for neither (see customer-fields.ts).
ALTER TABLE customers ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE customers ADD COLUMN blocked TEXT NOT NULL DEFAULT '';
