-- +goose Up
-- {{vars.<name>}} and {{secrets.<name>}}. The value of a secret is sealed.
CREATE TABLE variables (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, kind, name)
);
-- Whether the header values of tools in the row are sealed. The version before writes them as they are.
ALTER TABLE tools ADD COLUMN headers_sealed BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX tools_unsealed ON tools (tenant_id, id) WHERE NOT headers_sealed;
ALTER TABLE call_plans ADD COLUMN headers_sealed BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX call_plans_unsealed ON call_plans (hash) WHERE NOT headers_sealed;

-- +goose Down
DROP INDEX call_plans_unsealed;
ALTER TABLE call_plans DROP COLUMN headers_sealed;
DROP INDEX tools_unsealed;
ALTER TABLE tools DROP COLUMN headers_sealed;
DROP TABLE variables;
