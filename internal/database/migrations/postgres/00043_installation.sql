-- +goose Up
-- What holds for the whole installation, by name:
-- encryption_check: a constant sealed with the encryption key, which shows whether a node has the right one.
-- oldest_schema: number of the migration that a node must know to work on this schema. A migration after which older
-- nodes cannot work sets it to its own number.
CREATE TABLE installation (
  name text PRIMARY KEY,
  value bytea NOT NULL
);

-- +goose Down
DROP TABLE installation;
