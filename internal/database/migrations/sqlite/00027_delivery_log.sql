-- +goose Up
-- One index for all ways that a delivery log is filtered: a type of events, a
-- status, or both, each by id. Nothing is looked for by its event.
DROP INDEX webhook_deliveries_event;
CREATE INDEX webhook_deliveries_kind ON webhook_deliveries (tenant_id, event_type, status, id);

-- How many deliveries of a kind are over, so that the totals of a log do not
-- cost more the longer it is.
CREATE TABLE webhook_delivery_counts (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  event_type TEXT NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, event_type, status)
) WITHOUT ROWID;
INSERT INTO webhook_delivery_counts (tenant_id, event_type, status, n)
  SELECT tenant_id, event_type, status, count(*) FROM webhook_deliveries WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3;

-- +goose Down
DROP TABLE webhook_delivery_counts;
DROP INDEX webhook_deliveries_kind;
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
