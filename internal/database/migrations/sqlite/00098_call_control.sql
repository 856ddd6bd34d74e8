-- +goose Up
-- What tenants asked of calls that run. The body is encrypted, and empty once the request has its outcome.
CREATE TABLE call_controls (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL PRIMARY KEY,
  call_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  body BLOB NOT NULL,
  idempotency_key TEXT,
  request BLOB,
  status TEXT NOT NULL,
  detail TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  taken_at TIMESTAMP,
  UNIQUE (tenant_id, call_id, idempotency_key)
);
CREATE INDEX call_controls_call ON call_controls (call_id);
CREATE INDEX call_controls_pending ON call_controls (call_id) WHERE taken_at IS NULL;

-- +goose Down
DROP TABLE call_controls;
