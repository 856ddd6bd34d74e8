-- +goose Up
CREATE TABLE events (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT,
  type TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  data TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX events_call ON events (tenant_id, call_id, id);

-- +goose Down
DROP TABLE events;
