-- +goose Up
-- How many entries the error log has in each hour, so that totals do not cost
-- more the longer the log is.
CREATE TABLE error_counts (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  hour timestamptz NOT NULL,
  service TEXT NOT NULL,
  level TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (tenant_id, hour, service, level, livemode)
);
INSERT INTO error_counts (tenant_id, hour, service, level, livemode, n)
  SELECT tenant_id, date_trunc('hour', created_at, 'UTC'), service, level, livemode, count(*) FROM call_errors GROUP BY 1, 2, 3, 4, 5;
ALTER TABLE error_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE error_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON error_counts USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE error_counts;
