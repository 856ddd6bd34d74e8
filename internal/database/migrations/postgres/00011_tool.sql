-- +goose Up
CREATE TABLE tools (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  -- json, not jsonb: bodies and default values stay as they were written
  config json NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);
CREATE INDEX tools_created ON tools (tenant_id, created_at DESC, id DESC);
ALTER TABLE tools ENABLE ROW LEVEL SECURITY;
ALTER TABLE tools FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tools USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE tools;
