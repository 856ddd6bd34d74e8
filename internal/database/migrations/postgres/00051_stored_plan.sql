-- +goose Up
-- The configurations that calls are dispatched with, and the prompts that are kept of them, once for their content. hash is SHA-256
-- over the tenant and the content.
CREATE TABLE call_plans (
  hash bytea PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  size bigint NOT NULL,
  content text NOT NULL
);
ALTER TABLE call_plans ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_plans FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_plans USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));
-- The call's row of call_plans; the column plan has the plans of calls that were dispatched before.
ALTER TABLE calls ADD COLUMN plan_hash bytea;
CREATE INDEX calls_plan ON calls (plan_hash) WHERE plan_hash IS NOT NULL;
-- What a call stores until it is purged, and what all calls of a tenant store, plans included, in bytes.
ALTER TABLE calls ADD COLUMN stored_bytes bigint NOT NULL DEFAULT 0;
CREATE TABLE tenant_storage (
  tenant_id uuid PRIMARY KEY REFERENCES tenants (id),
  bytes bigint NOT NULL
) WITH (fillfactor = 50);
ALTER TABLE tenant_storage ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_storage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tenant_storage USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- Nodes of the version before know the column plan alone: they get it when they claim a call. Nodes of this version say in the
-- setting parley.stored_plans that they read call_plans. The version before purges without knowing of plan_hash.
-- +goose StatementBegin
CREATE FUNCTION parley_plan_for_older_node() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.purged_at IS NOT NULL THEN
    NEW.plan_hash := NULL;
  ELSE
    NEW.plan := (SELECT content::jsonb FROM call_plans WHERE hash = NEW.plan_hash);
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER calls_plan_for_older_node BEFORE UPDATE ON calls FOR EACH ROW
  WHEN (NEW.plan_hash IS NOT NULL AND NEW.plan IS NULL
    AND (NEW.purged_at IS NOT NULL OR NEW.claimed_by IS NOT NULL AND NEW.claimed_by IS DISTINCT FROM OLD.claimed_by)
    AND current_setting('parley.stored_plans', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION parley_plan_for_older_node();

-- +goose Down
DROP TRIGGER calls_plan_for_older_node ON calls;
DROP FUNCTION parley_plan_for_older_node();
SET LOCAL parley.tenant = 'system'; -- row-level security would hide every row
UPDATE calls SET plan = (SELECT content::jsonb FROM call_plans WHERE hash = calls.plan_hash) WHERE plan IS NULL AND plan_hash IS NOT NULL;
DROP TABLE tenant_storage;
ALTER TABLE calls DROP COLUMN stored_bytes;
DROP INDEX calls_plan;
ALTER TABLE calls DROP COLUMN plan_hash;
DROP TABLE call_plans;
