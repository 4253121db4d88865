-- Images by the digest of their configuration, and the names that mean them.
CREATE TABLE image (
    digest   TEXT PRIMARY KEY,
    document TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE image_name (
    name   TEXT PRIMARY KEY,
    digest TEXT NOT NULL REFERENCES image (digest)
) WITHOUT ROWID;

CREATE INDEX image_name_digest ON image_name (digest);
