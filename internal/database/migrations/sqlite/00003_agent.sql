-- +goose Up
CREATE TABLE agents (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  display_name TEXT,
  config TEXT NOT NULL,
  is_active BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);
CREATE INDEX agents_created ON agents (tenant_id, created_at DESC, id DESC);

-- +goose Down
DROP TABLE agents;
