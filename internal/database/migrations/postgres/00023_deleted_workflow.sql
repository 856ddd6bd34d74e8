-- +goose Up
-- What analytics call a workflow that is gone. Those deleted before are called
-- by their slugs.
CREATE TABLE deleted_workflows (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
ALTER TABLE deleted_workflows ENABLE ROW LEVEL SECURITY;
ALTER TABLE deleted_workflows FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deleted_workflows USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE deleted_workflows;
