-- +goose Up
-- Runs of analyses over earlier calls. A run that has not finished selects its next calls after the position of the last one.
CREATE TABLE analysis_runs (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL PRIMARY KEY,
  analysis TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  livemode BOOLEAN,
  agent_name TEXT,
  from_time TIMESTAMP,
  to_time TIMESTAMP NOT NULL,
  sample INTEGER,
  sampled_to TEXT,
  max_cost INTEGER,
  currency TEXT NOT NULL,
  estimate INTEGER,
  calls INTEGER NOT NULL,
  taken INTEGER NOT NULL,
  position_at TIMESTAMP,
  position_id TEXT,
  at_end BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  finished_at TIMESTAMP
);
CREATE INDEX analysis_runs_tenant ON analysis_runs (tenant_id, created_at);
CREATE UNIQUE INDEX analysis_runs_open ON analysis_runs (tenant_id, analysis) WHERE finished_at IS NULL;

-- +goose Down
DROP TABLE analysis_runs;
