-- +goose Up
-- What befell a call's worker or connections and was mended, or ended the call. fence is that of the claim it befell.
CREATE TABLE call_incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  cause TEXT NOT NULL,
  fence INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX call_incidents_call ON call_incidents (tenant_id, call_id, id);
CREATE UNIQUE INDEX call_incidents_lost ON call_incidents (call_id, fence) WHERE type = 'worker_lost';

-- +goose Down
DROP TABLE call_incidents;
