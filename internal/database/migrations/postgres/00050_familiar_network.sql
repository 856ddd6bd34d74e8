-- +goose Up
-- Networks from which a user signed in: HMAC-SHA256 of an IPv4 address or a /64 of IPv6, keyed with the server's secret.
CREATE TABLE familiar_networks (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  network bytea NOT NULL,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, network)
);
ALTER TABLE familiar_networks ENABLE ROW LEVEL SECURITY;
ALTER TABLE familiar_networks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON familiar_networks USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));
-- Tokens from before cookies had the prefix __Host-: they are accepted from the cookie without it, until they expire.
ALTER TABLE refresh_tokens ADD COLUMN unprefixed_cookie boolean NOT NULL DEFAULT false;
SET LOCAL parley.tenant = 'system'; -- row-level security would hide every row
UPDATE refresh_tokens SET unprefixed_cookie = true WHERE used_at IS NULL AND revoked_at IS NULL;

-- +goose Down
ALTER TABLE refresh_tokens DROP COLUMN unprefixed_cookie;
DROP TABLE familiar_networks;
