-- +goose Up
CREATE TABLE calls (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  workflow_id TEXT,
  workflow_slug TEXT,
  agent_name TEXT,
  user_id TEXT,
  status TEXT NOT NULL,
  status_reason TEXT,
  direction TEXT NOT NULL,
  call_type TEXT NOT NULL,
  phone_number TEXT,
  livemode BOOLEAN NOT NULL,
  room_name TEXT NOT NULL UNIQUE,
  current_agent TEXT,
  agent_history TEXT NOT NULL,
  metrics TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  started_at TIMESTAMP,
  ended_at TIMESTAMP,
  duration_seconds INTEGER NOT NULL,
  metadata TEXT,
  user_context BLOB,
  plan TEXT,
  join_by TIMESTAMP NOT NULL,
  claimed_by TEXT,
  fence INTEGER NOT NULL,
  lease_until TIMESTAMP,
  end_asked BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX calls_tenant ON calls (tenant_id, id);
-- The queue and the reaper look at calls that are not over, which are few.
CREATE INDEX calls_open ON calls (status, claimed_by, created_at) WHERE ended_at IS NULL;
CREATE INDEX calls_tenant_open ON calls (tenant_id, created_at) WHERE ended_at IS NULL;

CREATE TABLE transcript_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  agent_name TEXT,
  tool_call TEXT,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX transcript_entries_call ON transcript_entries (tenant_id, call_id, created_at, id);

CREATE TABLE call_errors (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  service TEXT NOT NULL,
  level TEXT NOT NULL,
  message TEXT NOT NULL,
  details TEXT NOT NULL,
  agent TEXT,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX call_errors_tenant ON call_errors (tenant_id, created_at DESC, id DESC);

-- +goose Down
DROP TABLE call_errors;
DROP TABLE transcript_entries;
DROP TABLE calls;
