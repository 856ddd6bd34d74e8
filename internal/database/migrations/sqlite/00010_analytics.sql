-- +goose Up
-- Sums of ended calls, kept in the transaction that ends a call. span is the
-- length of a bucket in seconds (60, 3600, 86400), bucket its first second as
-- Unix time. A call belongs to the bucket of its listed_at.
CREATE TABLE call_rollups (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  span INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  livemode BOOLEAN NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  disconnected INTEGER NOT NULL,
  timed_out INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  duration_seconds INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  stt_count INTEGER NOT NULL,
  stt_ms REAL NOT NULL,
  llm_count INTEGER NOT NULL,
  llm_ms REAL NOT NULL,
  tts_count INTEGER NOT NULL,
  tts_ms REAL NOT NULL,
  PRIMARY KEY (tenant_id, span, bucket, livemode)
) WITHOUT ROWID;

-- The workflow itself may be gone; its slug is kept.
CREATE TABLE workflow_rollups (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  span INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  workflow_id TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  workflow_slug TEXT NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  disconnected INTEGER NOT NULL,
  timed_out INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  duration_seconds INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, span, bucket, workflow_id, livemode)
) WITHOUT ROWID;

-- sketch is a DDSketch (relative accuracy 1 %) of the measurements, encoded
-- without its index mapping.
CREATE TABLE latency_rollups (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  span INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  provider_type TEXT NOT NULL,
  provider_name TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  calls INTEGER NOT NULL,
  measurements INTEGER NOT NULL,
  sum_ms REAL NOT NULL,
  sketch BLOB NOT NULL,
  PRIMARY KEY (tenant_id, span, bucket, provider_type, provider_name, livemode)
) WITHOUT ROWID;

-- Every filter of the error log is in the index, for its totals.
ALTER TABLE call_errors ADD COLUMN livemode BOOLEAN NOT NULL DEFAULT true;
UPDATE call_errors SET livemode = false WHERE call_id IN (SELECT id FROM calls WHERE NOT livemode);
DROP INDEX call_errors_tenant;
CREATE INDEX call_errors_tenant ON call_errors (tenant_id, created_at DESC, id DESC, service, level, livemode);

-- +goose Down
DROP INDEX call_errors_tenant;
CREATE INDEX call_errors_tenant ON call_errors (tenant_id, created_at DESC, id DESC);
ALTER TABLE call_errors DROP COLUMN livemode;
DROP TABLE latency_rollups;
DROP TABLE workflow_rollups;
DROP TABLE call_rollups;
