-- +goose Up
CREATE TABLE tenants (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL UNIQUE,
  created_at TIMESTAMP NOT NULL
);

-- +goose Down
DROP TABLE tenants;
