-- +goose Up
-- The answers of done analyses of calls, one row each, by which calls are found and counted. number is null for texts.
CREATE TABLE analysis_values (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid NOT NULL,
  analysis text NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  number double precision,
  agent text NOT NULL,
  workflow text NOT NULL,
  livemode boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, call_id, analysis, name)
);
CREATE INDEX analysis_values_at ON analysis_values (tenant_id, analysis, at);
ALTER TABLE analysis_values ENABLE ROW LEVEL SECURITY;
ALTER TABLE analysis_values FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON analysis_values USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE analysis_values;
