-- +goose Up
-- What the calls of a tenant have cost in a day (2026-11-27) or a month (2026-11), in UTC. amount is in 10^-12 of the currency. warned is the
-- budget most of which is spent, once that was noticed.
CREATE TABLE tenant_spending (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  period text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  warned text NOT NULL,
  PRIMARY KEY (tenant_id, period, currency)
);
ALTER TABLE tenant_spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_spending FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tenant_spending USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE tenant_spending;
