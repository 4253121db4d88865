-- Columns are what is searched for; the rest of a row is a JSON document with a version of its own.
CREATE TABLE home (id TEXT NOT NULL);

CREATE TABLE sandbox (
    id       TEXT PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    slot     INTEGER NOT NULL UNIQUE,
    state    TEXT NOT NULL,
    document TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE intent (
    sandbox TEXT PRIMARY KEY,
    kind    TEXT NOT NULL,
    since   TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE disk (
    name     TEXT PRIMARY KEY,
    document TEXT NOT NULL
) WITHOUT ROWID;
