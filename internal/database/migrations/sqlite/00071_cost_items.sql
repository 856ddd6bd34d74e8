-- +goose Up
-- The items of ended calls' costs, for sums. amount is in 10^-12 of the currency, null if the price is not known.
CREATE TABLE call_costs (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT NOT NULL,
  workflow TEXT NOT NULL,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  unit TEXT NOT NULL,
  quantity TEXT NOT NULL,
  amount INTEGER,
  currency TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  at TIMESTAMP NOT NULL
);
CREATE INDEX call_costs_at ON call_costs (tenant_id, at);

-- +goose Down
DROP TABLE call_costs;
