-- +goose Up
-- Analyses of calls that have ended: what a language model reads out of their transcripts.
CREATE TABLE analyses (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  config TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);

-- +goose Down
DROP TABLE analyses;
