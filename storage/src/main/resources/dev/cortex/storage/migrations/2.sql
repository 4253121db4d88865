-- A create that is repeated to the next daemon finds what the last one made.
ALTER TABLE sandbox ADD COLUMN create_key TEXT;

CREATE UNIQUE INDEX sandbox_create_key ON sandbox (create_key);
