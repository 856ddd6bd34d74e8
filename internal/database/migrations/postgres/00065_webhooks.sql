-- +goose Up
-- A tenant has several webhooks. The one with the ordinal 0 is that of /api/v1/webhooks.
ALTER TABLE webhooks DROP CONSTRAINT webhooks_tenant_id_key;
ALTER TABLE webhooks
  ADD COLUMN ordinal integer NOT NULL DEFAULT 0,
  ADD COLUMN workflows text, -- JSON array of slugs; NULL: all
  ADD COLUMN agents text, -- JSON array of names; NULL: all
  ADD CONSTRAINT webhooks_ordinal UNIQUE (tenant_id, ordinal);

SET LOCAL parley.tenant = 'system'; -- row-level security would hide every row
ALTER TABLE webhook_deliveries ADD COLUMN webhook_id text; -- NULL: finished before there were several webhooks
UPDATE webhook_deliveries d SET webhook_id = w.id FROM webhooks w WHERE w.tenant_id = d.tenant_id AND d.due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_webhook_due ON webhook_deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_webhook_in_flight ON webhook_deliveries (webhook_id, due_at) WHERE status = 'in_flight';
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (tenant_id, webhook_id, id);

-- Nodes of the version before know one webhook, and write deliveries without it.
-- +goose StatementBegin
CREATE FUNCTION parley_delivery_of_older_node() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.webhook_id := (SELECT id FROM webhooks WHERE tenant_id = NEW.tenant_id AND ordinal = 0);
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER webhook_deliveries_of_older_node BEFORE INSERT ON webhook_deliveries FOR EACH ROW
  WHEN (NEW.webhook_id IS NULL) EXECUTE FUNCTION parley_delivery_of_older_node();

-- +goose Down
SET LOCAL parley.tenant = 'system'; -- row-level security would hide every row
DROP TRIGGER webhook_deliveries_of_older_node ON webhook_deliveries;
DROP FUNCTION parley_delivery_of_older_node();
DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE ordinal > 0);
DELETE FROM webhooks WHERE ordinal > 0;
ALTER TABLE webhook_deliveries DROP COLUMN webhook_id;
ALTER TABLE webhooks DROP CONSTRAINT webhooks_ordinal, DROP COLUMN ordinal, DROP COLUMN workflows, DROP COLUMN agents, ADD UNIQUE (tenant_id);
