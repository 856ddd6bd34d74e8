-- +goose Up
CREATE TABLE events (
  id text PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid,
  type text NOT NULL,
  livemode boolean NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX events_call ON events (tenant_id, call_id, id);
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON events USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE events;
