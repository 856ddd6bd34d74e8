-- +goose Up
-- Networks from which a user signed in: HMAC-SHA256 of an IPv4 address or a /64 of IPv6, keyed with the server's secret.
CREATE TABLE familiar_networks (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  network BLOB NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  seen_at TIMESTAMP NOT NULL,
  PRIMARY KEY (user_id, network)
);
-- Tokens from before cookies had the prefix __Host-: they are accepted from the cookie without it, until they expire.
ALTER TABLE refresh_tokens ADD COLUMN unprefixed_cookie BOOLEAN NOT NULL DEFAULT false;
UPDATE refresh_tokens SET unprefixed_cookie = true WHERE used_at IS NULL AND revoked_at IS NULL;

-- +goose Down
ALTER TABLE refresh_tokens DROP COLUMN unprefixed_cookie;
DROP TABLE familiar_networks;
