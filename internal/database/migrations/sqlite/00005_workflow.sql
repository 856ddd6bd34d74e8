-- +goose Up
CREATE TABLE workflows (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  config TEXT NOT NULL,
  is_active BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, slug)
);
CREATE INDEX workflows_created ON workflows (tenant_id, created_at DESC, id DESC);

-- workflow_agents holds the agents that a workflow's nodes name. The agent
-- itself may be gone: an agent that is not active can be deleted.
CREATE TABLE workflow_agents (
  tenant_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  PRIMARY KEY (tenant_id, agent_name, workflow_id),
  FOREIGN KEY (tenant_id, workflow_id) REFERENCES workflows (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_agents_workflow ON workflow_agents (tenant_id, workflow_id);

-- +goose Down
DROP TABLE workflow_agents;
DROP TABLE workflows;
