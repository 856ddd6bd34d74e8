-- +goose Up
-- The answers of done analyses of calls, one row each, by which calls are found and counted. number is null for texts.
CREATE TABLE analysis_values (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT NOT NULL,
  analysis TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  number REAL,
  agent TEXT NOT NULL,
  workflow TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, call_id, analysis, name)
);
CREATE INDEX analysis_values_at ON analysis_values (tenant_id, analysis, at);

-- +goose Down
DROP TABLE analysis_values;
