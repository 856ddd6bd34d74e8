-- +goose Up
-- Tokens in web pages, which start calls of one workflow or agent. counted is the calls of counted_day (UTC).
CREATE TABLE public_tokens (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  hash bytea NOT NULL,
  shown text NOT NULL,
  workflow_slug text,
  agent_name text,
  origins jsonb NOT NULL,
  user_context_keys jsonb NOT NULL,
  per_minute integer NOT NULL,
  per_day integer NOT NULL,
  max_seconds integer NOT NULL,
  livemode boolean NOT NULL,
  expires_at timestamptz,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz,
  counted_day text NOT NULL DEFAULT '',
  counted integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX public_tokens_hash ON public_tokens (hash);
ALTER TABLE public_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE public_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON public_tokens USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));
-- +goose Down
DROP TABLE public_tokens;
