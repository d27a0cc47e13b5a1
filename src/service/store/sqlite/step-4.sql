-- The status that the service closed a call from whose end never came; null: its events say all. An event that comes later
-- takes the guess back.
ALTER TABLE calls ADD COLUMN closed_from TEXT;
