-- +goose Up
CREATE TABLE provider_keys (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  provider_type text NOT NULL,
  provider_name text NOT NULL,
  api_key bytea NOT NULL, -- sealed
  hint text NOT NULL,
  is_default boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX provider_keys_default ON provider_keys (tenant_id, provider_type) WHERE is_default;
ALTER TABLE provider_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE provider_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON provider_keys USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE provider_keys;
