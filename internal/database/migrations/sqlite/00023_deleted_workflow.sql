-- +goose Up
-- What analytics call a workflow that is gone. Those deleted before are called
-- by their slugs.
CREATE TABLE deleted_workflows (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE deleted_workflows;
