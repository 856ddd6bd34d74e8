-- +goose Up
-- Where agents could lead a call, and why not elsewhere.
CREATE TABLE call_routing (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  decision jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX call_routing_call ON call_routing (tenant_id, call_id, id);
ALTER TABLE call_routing ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_routing FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_routing USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE call_routing;
