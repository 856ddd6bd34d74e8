-- +goose Up
-- The addresses that a trunk's calls come from, and whether its audio is
-- encrypted.
ALTER TABLE sip_trunks ADD COLUMN allowed_addresses jsonb NOT NULL DEFAULT '[]', ADD COLUMN media_encryption text NOT NULL DEFAULT 'off';

-- The numbers of the platform's trunk that the operator gave to tenants.
CREATE TABLE number_assignments (
  number text PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  created_at timestamptz NOT NULL
);
CREATE INDEX number_assignments_tenant ON number_assignments (tenant_id);
SET LOCAL parley.tenant = 'system'; -- row-level security hides every row otherwise
INSERT INTO number_assignments (number, tenant_id, created_at)
  SELECT number, tenant_id, created_at FROM phone_numbers WHERE trunk_id IS NULL;
ALTER TABLE number_assignments ENABLE ROW LEVEL SECURITY;
ALTER TABLE number_assignments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON number_assignments USING (parley_sees(tenant_id));

-- A number is unique within its trunk.
ALTER TABLE phone_numbers DROP CONSTRAINT phone_numbers_number_key;
DROP INDEX phone_numbers_trunk;
CREATE UNIQUE INDEX phone_numbers_trunk ON phone_numbers (tenant_id, trunk_id, number);
CREATE UNIQUE INDEX phone_numbers_platform ON phone_numbers (number) WHERE trunk_id IS NULL;
CREATE INDEX phone_numbers_number ON phone_numbers (number, created_at, id);

-- +goose Down
DROP INDEX phone_numbers_number;
DROP INDEX phone_numbers_platform;
DROP INDEX phone_numbers_trunk;
-- Of those that share a number the oldest stays.
SET LOCAL parley.tenant = 'system'; -- row-level security hides every row otherwise
DELETE FROM phone_numbers n USING phone_numbers older
  WHERE older.number = n.number AND (older.created_at, older.id) < (n.created_at, n.id);
ALTER TABLE phone_numbers ADD CONSTRAINT phone_numbers_number_key UNIQUE (number);
CREATE INDEX phone_numbers_trunk ON phone_numbers (tenant_id, trunk_id);
DROP TABLE number_assignments;
ALTER TABLE sip_trunks DROP COLUMN media_encryption, DROP COLUMN allowed_addresses;
