-- +goose Up
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL UNIQUE REFERENCES tenants (id),
  url TEXT NOT NULL,
  secret BLOB NOT NULL,
  previous_secret BLOB,
  previous_until TIMESTAMP,
  enabled BOOLEAN NOT NULL,
  events TEXT,
  include_transcript BOOLEAN NOT NULL,
  include_context BOOLEAN NOT NULL,
  include_metrics BOOLEAN NOT NULL,
  headers BLOB NOT NULL,
  timeout INTEGER NOT NULL,
  max_retries INTEGER NOT NULL,
  payload_format TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL
);

-- due_at is when a delivery may be claimed: the next attempt of a pending one,
-- the end of the lease of one in flight. A finished one has none.
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  event_id TEXT NOT NULL REFERENCES events (id),
  event_type TEXT NOT NULL,
  call_id TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  due_at TIMESTAMP,
  leased_by TEXT,
  created_at TIMESTAMP NOT NULL,
  finished_at TIMESTAMP
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_in_flight ON webhook_deliveries (tenant_id, due_at) WHERE status = 'in_flight';
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (tenant_id, id);
CREATE INDEX webhook_deliveries_call ON webhook_deliveries (tenant_id, call_id, id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE webhook_attempts (
  delivery_id TEXT NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  started_at TIMESTAMP NOT NULL,
  duration_ms INTEGER NOT NULL,
  response_status INTEGER,
  response_body TEXT NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (delivery_id, number)
);

-- +goose Down
DROP TABLE webhook_attempts;
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
