-- +goose Up
-- A tenant has several webhooks. The one with the ordinal 0 is that of /api/v1/webhooks. SQLite removes the
-- uniqueness of tenant_id only with a new table.
CREATE TABLE webhooks_new (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  ordinal INTEGER NOT NULL DEFAULT 0,
  url TEXT NOT NULL,
  secret BLOB NOT NULL,
  previous_secret BLOB,
  previous_until TIMESTAMP,
  enabled BOOLEAN NOT NULL,
  events TEXT,
  workflows TEXT, -- JSON array of slugs; NULL: all
  agents TEXT, -- JSON array of names; NULL: all
  include_transcript BOOLEAN NOT NULL,
  include_context BOOLEAN NOT NULL,
  include_metrics BOOLEAN NOT NULL,
  headers BLOB NOT NULL,
  timeout INTEGER NOT NULL,
  max_retries INTEGER NOT NULL,
  retry_policy TEXT NOT NULL DEFAULT 'standard',
  payload_format TEXT NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since TIMESTAMP,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  UNIQUE (tenant_id, ordinal)
);
INSERT INTO webhooks_new (id, tenant_id, url, secret, previous_secret, previous_until, enabled, events, include_transcript, include_context,
  include_metrics, headers, timeout, max_retries, retry_policy, payload_format, failures, failing_since, created_at, updated_at)
SELECT id, tenant_id, url, secret, previous_secret, previous_until, enabled, events, include_transcript, include_context,
  include_metrics, headers, timeout, max_retries, retry_policy, payload_format, failures, failing_since, created_at, updated_at FROM webhooks;
DROP TABLE webhooks;
ALTER TABLE webhooks_new RENAME TO webhooks;

ALTER TABLE webhook_deliveries ADD COLUMN webhook_id TEXT; -- NULL: finished before there were several webhooks
UPDATE webhook_deliveries SET webhook_id = (SELECT w.id FROM webhooks w WHERE w.tenant_id = webhook_deliveries.tenant_id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_webhook_due ON webhook_deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_webhook_in_flight ON webhook_deliveries (webhook_id, due_at) WHERE status = 'in_flight';
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (tenant_id, webhook_id, id);

-- +goose Down
DROP INDEX webhook_deliveries_webhook;
DROP INDEX webhook_deliveries_webhook_in_flight;
DROP INDEX webhook_deliveries_webhook_due;
DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE ordinal > 0);
ALTER TABLE webhook_deliveries DROP COLUMN webhook_id;
CREATE TABLE webhooks_old (
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
  updated_at TIMESTAMP NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since TIMESTAMP,
  retry_policy TEXT NOT NULL DEFAULT 'standard'
);
INSERT INTO webhooks_old (id, tenant_id, url, secret, previous_secret, previous_until, enabled, events, include_transcript, include_context,
  include_metrics, headers, timeout, max_retries, retry_policy, payload_format, failures, failing_since, created_at, updated_at)
SELECT id, tenant_id, url, secret, previous_secret, previous_until, enabled, events, include_transcript, include_context,
  include_metrics, headers, timeout, max_retries, retry_policy, payload_format, failures, failing_since, created_at, updated_at FROM webhooks WHERE ordinal = 0;
DROP TABLE webhooks;
ALTER TABLE webhooks_old RENAME TO webhooks;
