-- +goose Up
-- What a tenant's outgoing requests other than webhooks are signed with, for each purpose.
CREATE TABLE signing_secrets (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  purpose TEXT NOT NULL,
  secret BLOB NOT NULL, -- sealed
  previous_secret BLOB, -- sealed
  previous_until TIMESTAMP,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, purpose)
);

-- +goose Down
DROP TABLE signing_secrets;
