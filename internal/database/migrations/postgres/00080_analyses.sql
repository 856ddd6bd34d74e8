-- +goose Up
-- Analyses of calls that have ended: what a language model reads out of their transcripts.
CREATE TABLE analyses (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL,
  config jsonb NOT NULL,
  version bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);
ALTER TABLE analyses ENABLE ROW LEVEL SECURITY;
ALTER TABLE analyses FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON analyses USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE analyses;
