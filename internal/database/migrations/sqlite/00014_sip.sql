-- +goose Up
CREATE TABLE sip_trunks (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  transport TEXT NOT NULL,
  username TEXT,
  secrets BLOB NOT NULL, -- sealed: password and headers
  caller_id TEXT,
  is_default BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX sip_trunks_default ON sip_trunks (tenant_id) WHERE is_default;

CREATE TABLE phone_numbers (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  number TEXT NOT NULL UNIQUE,
  workflow_slug TEXT,
  agent_name TEXT,
  trunk_id TEXT,
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, trunk_id) REFERENCES sip_trunks (tenant_id, id)
);
CREATE INDEX phone_numbers_trunk ON phone_numbers (tenant_id, trunk_id);

-- +goose Down
DROP TABLE phone_numbers;
DROP TABLE sip_trunks;
