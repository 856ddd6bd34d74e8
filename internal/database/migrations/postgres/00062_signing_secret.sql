-- +goose Up
-- What a tenant's outgoing requests other than webhooks are signed with, for each purpose.
CREATE TABLE signing_secrets (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  purpose text NOT NULL,
  secret bytea NOT NULL, -- sealed
  previous_secret bytea, -- sealed
  previous_until timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, purpose)
);
ALTER TABLE signing_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE signing_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON signing_secrets USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE signing_secrets;
