-- +goose Up
-- What tenants asked of calls that run. The body is encrypted, and empty once the request has its outcome.
CREATE TABLE call_controls (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id text NOT NULL PRIMARY KEY,
  call_id uuid NOT NULL,
  kind text NOT NULL,
  body bytea NOT NULL,
  idempotency_key text,
  request bytea,
  status text NOT NULL,
  detail text NOT NULL,
  created_at timestamptz NOT NULL,
  taken_at timestamptz,
  UNIQUE (tenant_id, call_id, idempotency_key)
);
CREATE INDEX call_controls_call ON call_controls (call_id);
CREATE INDEX call_controls_pending ON call_controls (call_id) WHERE taken_at IS NULL;
ALTER TABLE call_controls ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_controls FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_controls USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE call_controls;
