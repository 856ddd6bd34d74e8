-- +goose Up
-- How many entries the error log has in each hour, so that totals do not cost
-- more the longer the log is.
CREATE TABLE error_counts (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  hour TIMESTAMP NOT NULL,
  service TEXT NOT NULL,
  level TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, hour, service, level, livemode)
);
INSERT INTO error_counts (tenant_id, hour, service, level, livemode, n)
  SELECT tenant_id, strftime('%Y-%m-%d %H:00:00+00:00', created_at), service, level, livemode, count(*) FROM call_errors GROUP BY 1, 2, 3, 4, 5;

-- +goose Down
DROP TABLE error_counts;
