-- +goose Up
CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  email TEXT NOT NULL,
  -- email in lower case: one account an address on the platform
  email_key TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX users_tenant ON users (tenant_id, id);

CREATE TABLE refresh_tokens (
  hash BLOB PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- the tokens that follow from one sign-in
  family_id TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  expires_at TIMESTAMP NOT NULL,
  used_at TIMESTAMP,
  revoked_at TIMESTAMP
);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id, expires_at);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  name TEXT NOT NULL,
  environment TEXT NOT NULL,
  -- the beginning of the key, to recognise it by
  prefix TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  rate_limit INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  revoked_at TIMESTAMP
);
CREATE UNIQUE INDEX api_keys_tenant ON api_keys (tenant_id, id);

-- +goose Down
DROP TABLE api_keys;
DROP TABLE refresh_tokens;
DROP TABLE users;
