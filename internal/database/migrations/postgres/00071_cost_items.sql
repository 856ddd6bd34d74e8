-- +goose Up
-- The items of ended calls' costs, for sums. amount is in 10^-12 of the currency, null if the price is not known.
CREATE TABLE call_costs (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid NOT NULL,
  workflow text NOT NULL,
  agent text NOT NULL,
  kind text NOT NULL,
  provider text NOT NULL,
  model text NOT NULL,
  unit text NOT NULL,
  quantity text NOT NULL,
  amount bigint,
  currency text NOT NULL,
  livemode boolean NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX call_costs_at ON call_costs (tenant_id, at);
ALTER TABLE call_costs ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_costs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_costs USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE call_costs;
