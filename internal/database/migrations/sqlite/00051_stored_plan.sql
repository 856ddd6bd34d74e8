-- +goose Up
-- The configurations that calls are dispatched with, and the prompts that are kept of them, once for their content. hash is SHA-256
-- over the tenant and the content.
CREATE TABLE call_plans (
  hash BLOB PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  size INTEGER NOT NULL,
  content TEXT NOT NULL
);
-- The call's row of call_plans; the column plan has the plans of calls that were dispatched before.
ALTER TABLE calls ADD COLUMN plan_hash BLOB;
CREATE INDEX calls_plan ON calls (plan_hash) WHERE plan_hash IS NOT NULL;
-- What a call stores until it is purged, and what all calls of a tenant store, plans included, in bytes.
ALTER TABLE calls ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;
CREATE TABLE tenant_storage (
  tenant_id TEXT PRIMARY KEY NOT NULL REFERENCES tenants (id),
  bytes INTEGER NOT NULL
);

-- +goose Down
UPDATE calls SET plan = (SELECT content FROM call_plans WHERE hash = calls.plan_hash) WHERE plan IS NULL AND plan_hash IS NOT NULL;
DROP TABLE tenant_storage;
ALTER TABLE calls DROP COLUMN stored_bytes;
DROP INDEX calls_plan;
ALTER TABLE calls DROP COLUMN plan_hash;
DROP TABLE call_plans;
