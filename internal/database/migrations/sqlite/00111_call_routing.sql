-- +goose Up
-- Where agents could lead a call, and why not elsewhere.
CREATE TABLE call_routing (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  decision TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX call_routing_call ON call_routing (tenant_id, call_id, id);

-- +goose Down
DROP TABLE call_routing;
