-- +goose Up
CREATE TABLE calls (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  workflow_id uuid,
  workflow_slug text,
  agent_name text,
  user_id text,
  status text NOT NULL,
  status_reason text,
  direction text NOT NULL,
  call_type text NOT NULL,
  phone_number text,
  livemode boolean NOT NULL,
  room_name text NOT NULL UNIQUE,
  current_agent text,
  agent_history jsonb NOT NULL,
  metrics jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  duration_seconds bigint NOT NULL,
  metadata jsonb,
  user_context bytea,
  plan jsonb,
  join_by timestamptz NOT NULL,
  claimed_by text,
  fence bigint NOT NULL,
  lease_until timestamptz,
  end_asked boolean NOT NULL
);
CREATE UNIQUE INDEX calls_tenant ON calls (tenant_id, id);
-- The queue and the reaper look at calls that are not over, which are few.
CREATE INDEX calls_open ON calls (status, claimed_by, created_at) WHERE ended_at IS NULL;
CREATE INDEX calls_tenant_open ON calls (tenant_id, created_at) WHERE ended_at IS NULL;
ALTER TABLE calls ENABLE ROW LEVEL SECURITY;
ALTER TABLE calls FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON calls USING (parley_sees(tenant_id));

CREATE TABLE transcript_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  role text NOT NULL,
  content text NOT NULL,
  agent_name text,
  tool_call jsonb,
  created_at timestamptz NOT NULL
);
CREATE INDEX transcript_entries_call ON transcript_entries (tenant_id, call_id, created_at, id);
ALTER TABLE transcript_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE transcript_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON transcript_entries USING (parley_sees(tenant_id));

CREATE TABLE call_errors (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  service text NOT NULL,
  level text NOT NULL,
  message text NOT NULL,
  details jsonb NOT NULL,
  agent text,
  created_at timestamptz NOT NULL
);
CREATE INDEX call_errors_tenant ON call_errors (tenant_id, created_at DESC, id DESC);
ALTER TABLE call_errors ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_errors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_errors USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE call_errors;
DROP TABLE transcript_entries;
DROP TABLE calls;
