-- +goose Up
CREATE TABLE workflows (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  description text,
  config jsonb NOT NULL,
  is_active boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, slug)
);
CREATE INDEX workflows_created ON workflows (tenant_id, created_at DESC, id DESC);
ALTER TABLE workflows ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflows FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workflows USING (parley_sees(tenant_id));

-- workflow_agents holds the agents that a workflow's nodes name. The agent
-- itself may be gone: an agent that is not active can be deleted.
CREATE TABLE workflow_agents (
  tenant_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  agent_name text NOT NULL,
  PRIMARY KEY (tenant_id, agent_name, workflow_id),
  FOREIGN KEY (tenant_id, workflow_id) REFERENCES workflows (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_agents_workflow ON workflow_agents (tenant_id, workflow_id);
ALTER TABLE workflow_agents ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflow_agents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workflow_agents USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE workflow_agents;
DROP TABLE workflows;
