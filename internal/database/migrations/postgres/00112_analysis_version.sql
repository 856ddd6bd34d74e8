-- +goose Up
-- Earlier versions of analyses; the present one is in analyses.
CREATE TABLE analysis_versions (
  tenant_id uuid NOT NULL,
  analysis_id uuid NOT NULL,
  version bigint NOT NULL,
  config jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, analysis_id, version),
  FOREIGN KEY (tenant_id, analysis_id) REFERENCES analyses (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE analysis_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE analysis_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON analysis_versions USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE analysis_versions;
