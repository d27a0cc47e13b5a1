-- 1: from the PBX's records of before there was a bridge. It is history: no screen, webhook or call back follows from it.
ALTER TABLE calls ADD COLUMN past INTEGER NOT NULL DEFAULT 0;
