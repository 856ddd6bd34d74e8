-- +goose Up
-- What befell a call's worker or connections and was mended, or ended the call. fence is that of the claim it befell.
CREATE TABLE call_incidents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  type text NOT NULL,
  cause text NOT NULL,
  fence bigint NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX call_incidents_call ON call_incidents (tenant_id, call_id, id);
CREATE UNIQUE INDEX call_incidents_lost ON call_incidents (call_id, fence) WHERE type = 'worker_lost';
ALTER TABLE call_incidents ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_incidents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_incidents USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE call_incidents;
