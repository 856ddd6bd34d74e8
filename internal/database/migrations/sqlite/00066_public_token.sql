-- +goose Up
-- Tokens in web pages, which start calls of one workflow or agent. counted is the calls of counted_day (UTC).
CREATE TABLE public_tokens (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  hash BLOB NOT NULL,
  shown TEXT NOT NULL,
  workflow_slug TEXT,
  agent_name TEXT,
  origins TEXT NOT NULL,
  user_context_keys TEXT NOT NULL,
  per_minute INTEGER NOT NULL,
  per_day INTEGER NOT NULL,
  max_seconds INTEGER NOT NULL,
  livemode BOOLEAN NOT NULL,
  expires_at TIMESTAMP,
  created_at TIMESTAMP NOT NULL,
  revoked_at TIMESTAMP,
  counted_day TEXT NOT NULL DEFAULT '',
  counted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX public_tokens_hash ON public_tokens (hash);

-- +goose Down
DROP TABLE public_tokens;
