-- +goose Up
-- The analyses of each call: jobs under a lease, and their results. due_at is null when one is finished.
CREATE TABLE call_analyses (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id text NOT NULL PRIMARY KEY,
  call_id uuid NOT NULL,
  name text NOT NULL,
  version bigint NOT NULL,
  status text NOT NULL,
  reason text,
  llm jsonb,
  data jsonb,
  criteria jsonb,
  livemode boolean NOT NULL,
  attempts integer NOT NULL,
  due_at timestamptz,
  leased_by text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  UNIQUE (tenant_id, call_id, name)
);
CREATE INDEX call_analyses_due ON call_analyses (due_at) WHERE due_at IS NOT NULL;
ALTER TABLE call_analyses ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_analyses FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_analyses USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE call_analyses;
