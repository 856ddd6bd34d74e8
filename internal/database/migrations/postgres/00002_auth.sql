-- +goose Up
CREATE TABLE users (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  email text NOT NULL,
  -- email in lower case: one account an address on the platform
  email_key text NOT NULL UNIQUE,
  password_hash text NOT NULL,
  scopes jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_tenant ON users (tenant_id, id);
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON users USING (parley_sees(tenant_id));

CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- the tokens that follow from one sign-in
  family_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id, expires_at);
ALTER TABLE refresh_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE refresh_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON refresh_tokens USING (parley_sees(tenant_id));

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  name text NOT NULL,
  environment text NOT NULL,
  -- the beginning of the key, to recognise it by
  prefix text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  scopes jsonb NOT NULL,
  rate_limit integer NOT NULL,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE UNIQUE INDEX api_keys_tenant ON api_keys (tenant_id, id);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON api_keys USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE api_keys;
DROP TABLE refresh_tokens;
DROP TABLE users;
