-- +goose Up
CREATE TABLE webhooks (
  id text PRIMARY KEY,
  tenant_id uuid NOT NULL UNIQUE REFERENCES tenants (id),
  url text NOT NULL,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_until timestamptz,
  enabled boolean NOT NULL,
  events text,
  include_transcript boolean NOT NULL,
  include_context boolean NOT NULL,
  include_metrics boolean NOT NULL,
  headers bytea NOT NULL,
  timeout integer NOT NULL,
  max_retries integer NOT NULL,
  payload_format text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhooks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhooks USING (parley_sees(tenant_id));

-- due_at is when a delivery may be claimed: the next attempt of a pending one,
-- the end of the lease of one in flight. A finished one has none.
CREATE TABLE webhook_deliveries (
  id text PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  event_id text NOT NULL REFERENCES events (id),
  event_type text NOT NULL,
  call_id uuid,
  status text NOT NULL,
  attempts integer NOT NULL,
  max_attempts integer NOT NULL,
  due_at timestamptz,
  leased_by text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_in_flight ON webhook_deliveries (tenant_id, due_at) WHERE status = 'in_flight';
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (tenant_id, id);
CREATE INDEX webhook_deliveries_call ON webhook_deliveries (tenant_id, call_id, id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_deliveries USING (parley_sees(tenant_id));

CREATE TABLE webhook_attempts (
  delivery_id text NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  number integer NOT NULL,
  tenant_id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  response_status integer,
  response_body text NOT NULL,
  error text NOT NULL,
  PRIMARY KEY (delivery_id, number)
);
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_attempts USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE webhook_attempts;
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
