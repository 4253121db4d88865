-- Sandboxes that were started ahead and are nobody's yet.
CREATE TABLE spare (
    id       TEXT PRIMARY KEY,
    slot     INTEGER NOT NULL UNIQUE,
    document TEXT NOT NULL
) WITHOUT ROWID;
