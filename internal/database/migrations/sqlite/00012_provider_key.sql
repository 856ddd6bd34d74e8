-- +goose Up
CREATE TABLE provider_keys (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  provider_type TEXT NOT NULL,
  provider_name TEXT NOT NULL,
  api_key BLOB NOT NULL, -- sealed
  hint TEXT NOT NULL,
  is_default BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX provider_keys_default ON provider_keys (tenant_id, provider_type) WHERE is_default;

-- +goose Down
DROP TABLE provider_keys;
