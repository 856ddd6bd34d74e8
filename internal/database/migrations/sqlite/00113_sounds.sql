-- +goose Up
-- Sounds that callers on hold hear. The content is Ogg Opus; it is the last column, so that lists need not read over it.
CREATE TABLE sounds (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);

-- +goose Down
DROP TABLE sounds;
