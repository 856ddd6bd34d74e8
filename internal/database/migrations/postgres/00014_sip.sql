-- +goose Up
CREATE TABLE sip_trunks (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  transport text NOT NULL,
  username text,
  secrets bytea NOT NULL, -- sealed: password and headers
  caller_id text,
  is_default boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX sip_trunks_default ON sip_trunks (tenant_id) WHERE is_default;
ALTER TABLE sip_trunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE sip_trunks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sip_trunks USING (parley_sees(tenant_id));

CREATE TABLE phone_numbers (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  number text NOT NULL UNIQUE,
  workflow_slug text,
  agent_name text,
  trunk_id uuid,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, trunk_id) REFERENCES sip_trunks (tenant_id, id)
);
CREATE INDEX phone_numbers_trunk ON phone_numbers (tenant_id, trunk_id);
ALTER TABLE phone_numbers ENABLE ROW LEVEL SECURITY;
ALTER TABLE phone_numbers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON phone_numbers USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE phone_numbers;
DROP TABLE sip_trunks;
