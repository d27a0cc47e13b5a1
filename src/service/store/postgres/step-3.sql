-- Raised to make the operator's token, or the fleet's, a new one; 0: that of version 1.0.0. The version is raised with them, so
-- that every process reads them.
ALTER TABLE directory ADD COLUMN operator_counter integer NOT NULL DEFAULT 0;
ALTER TABLE directory ADD COLUMN fleet_counter integer NOT NULL DEFAULT 0;
