-- +goose Up
-- The policies say what parley_sees says, without the function: its call for
-- each row costs a microsecond or two, and an answer adds up thousands of rows.

-- Sums of ended calls, kept in the transaction that ends a call. span is the
-- length of a bucket in seconds (60, 3600, 86400), bucket its first second as
-- Unix time. A call belongs to the bucket of its listed_at.
CREATE TABLE call_rollups (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  span integer NOT NULL,
  bucket bigint NOT NULL,
  livemode boolean NOT NULL,
  completed bigint NOT NULL,
  failed bigint NOT NULL,
  disconnected bigint NOT NULL,
  timed_out bigint NOT NULL,
  answered bigint NOT NULL,
  duration_seconds bigint NOT NULL,
  tokens bigint NOT NULL,
  stt_count bigint NOT NULL,
  stt_ms double precision NOT NULL,
  llm_count bigint NOT NULL,
  llm_ms double precision NOT NULL,
  tts_count bigint NOT NULL,
  tts_ms double precision NOT NULL,
  PRIMARY KEY (tenant_id, span, bucket, livemode)
) WITH (fillfactor = 70);
ALTER TABLE call_rollups ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_rollups FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_rollups USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- The workflow itself may be gone; its slug is kept.
CREATE TABLE workflow_rollups (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  span integer NOT NULL,
  bucket bigint NOT NULL,
  workflow_id uuid NOT NULL,
  livemode boolean NOT NULL,
  workflow_slug text NOT NULL,
  completed bigint NOT NULL,
  failed bigint NOT NULL,
  disconnected bigint NOT NULL,
  timed_out bigint NOT NULL,
  answered bigint NOT NULL,
  duration_seconds bigint NOT NULL,
  PRIMARY KEY (tenant_id, span, bucket, workflow_id, livemode)
) WITH (fillfactor = 70);
ALTER TABLE workflow_rollups ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflow_rollups FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workflow_rollups USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- sketch is a DDSketch (relative accuracy 1 %) of the measurements, encoded
-- without its index mapping.
CREATE TABLE latency_rollups (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  span integer NOT NULL,
  bucket bigint NOT NULL,
  provider_type text NOT NULL,
  provider_name text NOT NULL,
  livemode boolean NOT NULL,
  calls bigint NOT NULL,
  measurements bigint NOT NULL,
  sum_ms double precision NOT NULL,
  sketch bytea NOT NULL,
  PRIMARY KEY (tenant_id, span, bucket, provider_type, provider_name, livemode)
) WITH (fillfactor = 70);
ALTER TABLE latency_rollups ENABLE ROW LEVEL SECURITY;
ALTER TABLE latency_rollups FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON latency_rollups USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- Every filter of the error log is in the index, for its totals.
ALTER TABLE call_errors ADD COLUMN livemode boolean NOT NULL DEFAULT true;
SET LOCAL parley.tenant = 'system'; -- row-level security would hide every row
UPDATE call_errors SET livemode = false WHERE call_id IN (SELECT id FROM calls WHERE NOT livemode);
DROP INDEX call_errors_tenant;
CREATE INDEX call_errors_tenant ON call_errors (tenant_id, created_at DESC, id DESC, service, level, livemode);
ALTER POLICY tenant ON call_errors USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
ALTER POLICY tenant ON call_errors USING (parley_sees(tenant_id));
DROP INDEX call_errors_tenant;
CREATE INDEX call_errors_tenant ON call_errors (tenant_id, created_at DESC, id DESC);
ALTER TABLE call_errors DROP COLUMN livemode;
DROP TABLE latency_rollups;
DROP TABLE workflow_rollups;
DROP TABLE call_rollups;
