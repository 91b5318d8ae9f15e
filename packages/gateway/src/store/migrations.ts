/**
 * What makes a database of each version from the one before; the first from an empty file. Entries are never changed
 * once released, only added. Columns have the names of the records' fields.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    createdAt TEXT NOT NULL
  ) STRICT;

  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    ownerId TEXT NOT NULL REFERENCES owners (id),
    label TEXT NOT NULL,
    hash TEXT NOT NULL,
    createdAt TEXT NOT NULL,
    revokedAt TEXT
  ) STRICT;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    ownerId TEXT NOT NULL REFERENCES owners (id),
    driver TEXT NOT NULL,
    image TEXT,
    state TEXT NOT NULL,
    reason TEXT,
    workspace TEXT NOT NULL,
    env TEXT NOT NULL,
    labels TEXT NOT NULL,
    limits TEXT NOT NULL,
    idleTimeoutSeconds REAL NOT NULL,
    createdAt TEXT NOT NULL,
    lastActiveAt TEXT NOT NULL,
    expiresAt TEXT,
    endedAt TEXT,
    externalId TEXT,
    UNIQUE (ownerId, externalId)
  ) STRICT;

  CREATE TABLE logins (
    hash TEXT PRIMARY KEY,
    ownerId TEXT NOT NULL REFERENCES owners (id),
    keyId TEXT REFERENCES keys (id),
    sessionId TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    expiresAt TEXT NOT NULL
  ) STRICT;
  CREATE INDEX loginsByExpiry ON logins (expiresAt);
  CREATE INDEX loginsBySession ON logins (sessionId) WHERE sessionId IS NOT NULL;

  -- Numbers are given from here on, also when the records up to it are removed.
  CREATE TABLE journals (
    sessionId TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    removedSeq INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  -- What is journalled, in order.
  CREATE TABLE records (
    sessionId TEXT NOT NULL,
    seq INTEGER NOT NULL,
    time TEXT NOT NULL,
    type TEXT NOT NULL,
    actionId TEXT,
    shell TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (sessionId, seq)
  ) STRICT, WITHOUT ROWID;

  -- The small part of each action, by which a retry is told.
  CREATE TABLE actions (
    sessionId TEXT NOT NULL,
    actionId TEXT NOT NULL,
    seq INTEGER NOT NULL,
    idempotencyKey TEXT,
    bodyHash TEXT NOT NULL,
    observationSeq INTEGER,
    PRIMARY KEY (sessionId, actionId)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX actionsByKey ON actions (sessionId, idempotencyKey) WHERE idempotencyKey IS NOT NULL;
  CREATE INDEX unfinishedActions ON actions (sessionId, seq) WHERE observationSeq IS NULL;

  -- Sessions that are gone, and whose records go little by little.
  CREATE TABLE removedJournals (sessionId TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE sessions ADD COLUMN appPorts TEXT NOT NULL DEFAULT '[]';
  `,
  `
  ALTER TABLE sessions ADD COLUMN windowId TEXT;
  ALTER TABLE sessions ADD COLUMN windowFolder TEXT;
  ALTER TABLE keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'api';

  -- A notice has its own id where actions have theirs; one that comes again is known by it.
  CREATE UNIQUE INDEX notices ON records (sessionId, actionId) WHERE type = 'notice';
  `,
];
