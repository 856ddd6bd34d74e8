-- +goose Up
-- What the calls of a tenant have cost in a day (2026-11-27) or a month (2026-11), in UTC. amount is in 10^-12 of the currency. warned is the
-- budget most of which is spent, once that was noticed.
CREATE TABLE tenant_spending (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  period TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL,
  warned TEXT NOT NULL,
  PRIMARY KEY (tenant_id, period, currency)
);

-- +goose Down
DROP TABLE tenant_spending;
