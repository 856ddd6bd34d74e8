-- +goose Up
-- The analyses of each call: jobs under a lease, and their results. due_at is null when one is finished.
CREATE TABLE call_analyses (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL PRIMARY KEY,
  call_id TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  llm TEXT,
  data TEXT,
  criteria TEXT,
  livemode BOOLEAN NOT NULL,
  attempts INTEGER NOT NULL,
  due_at TIMESTAMP,
  leased_by TEXT,
  created_at TIMESTAMP NOT NULL,
  finished_at TIMESTAMP,
  UNIQUE (tenant_id, call_id, name)
);
CREATE INDEX call_analyses_due ON call_analyses (due_at) WHERE due_at IS NOT NULL;

-- +goose Down
DROP TABLE call_analyses;
