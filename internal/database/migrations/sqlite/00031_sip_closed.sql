-- +goose Up
-- The addresses that a trunk's calls come from, as JSON, and whether its audio
-- is encrypted.
ALTER TABLE sip_trunks ADD COLUMN allowed_addresses TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sip_trunks ADD COLUMN media_encryption TEXT NOT NULL DEFAULT 'off';

-- The numbers of the platform's trunk that the operator gave to tenants.
CREATE TABLE number_assignments (
  number TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX number_assignments_tenant ON number_assignments (tenant_id);
INSERT INTO number_assignments (number, tenant_id, created_at)
  SELECT number, tenant_id, created_at FROM phone_numbers WHERE trunk_id IS NULL;

-- A number is unique within its trunk.
CREATE TABLE phone_numbers_new (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  number TEXT NOT NULL,
  workflow_slug TEXT,
  agent_name TEXT,
  trunk_id TEXT,
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, trunk_id) REFERENCES sip_trunks (tenant_id, id)
);
INSERT INTO phone_numbers_new SELECT tenant_id, id, number, workflow_slug, agent_name, trunk_id, created_at FROM phone_numbers;
DROP TABLE phone_numbers;
ALTER TABLE phone_numbers_new RENAME TO phone_numbers;
CREATE UNIQUE INDEX phone_numbers_trunk ON phone_numbers (tenant_id, trunk_id, number);
CREATE UNIQUE INDEX phone_numbers_platform ON phone_numbers (number) WHERE trunk_id IS NULL;
CREATE INDEX phone_numbers_number ON phone_numbers (number, created_at, id);

-- +goose Down
CREATE TABLE phone_numbers_old (
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
-- Of those that share a number the oldest stays.
INSERT OR IGNORE INTO phone_numbers_old SELECT tenant_id, id, number, workflow_slug, agent_name, trunk_id, created_at FROM phone_numbers ORDER BY created_at, id;
DROP TABLE phone_numbers;
ALTER TABLE phone_numbers_old RENAME TO phone_numbers;
CREATE INDEX phone_numbers_trunk ON phone_numbers (tenant_id, trunk_id);
DROP TABLE number_assignments;
ALTER TABLE sip_trunks DROP COLUMN media_encryption;
ALTER TABLE sip_trunks DROP COLUMN allowed_addresses;
