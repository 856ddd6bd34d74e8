-- +goose Up
-- Runs of analyses over earlier calls. A run that has not finished selects its next calls after the position of the last one.
CREATE TABLE analysis_runs (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL PRIMARY KEY,
  analysis text NOT NULL,
  status text NOT NULL,
  reason text,
  livemode boolean,
  agent_name text,
  from_time timestamptz,
  to_time timestamptz NOT NULL,
  sample bigint,
  sampled_to text,
  max_cost bigint,
  currency text NOT NULL,
  estimate bigint,
  calls bigint NOT NULL,
  taken bigint NOT NULL,
  position_at timestamptz,
  position_id uuid,
  at_end boolean NOT NULL,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX analysis_runs_tenant ON analysis_runs (tenant_id, created_at);
CREATE UNIQUE INDEX analysis_runs_open ON analysis_runs (tenant_id, analysis) WHERE finished_at IS NULL;
ALTER TABLE analysis_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE analysis_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON analysis_runs USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE analysis_runs;
