-- +goose Up
-- Earlier versions of analyses; the present one is in analyses.
CREATE TABLE analysis_versions (
  tenant_id TEXT NOT NULL,
  analysis_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  config TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, analysis_id, version),
  FOREIGN KEY (tenant_id, analysis_id) REFERENCES analyses (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE analysis_versions;
