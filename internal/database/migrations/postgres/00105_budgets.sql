-- +goose Up
-- What the calls of a tenant may cost in a day and in a month: {"day": {"amount": "50", "currency": "EUR"}}.
ALTER TABLE tenants ADD COLUMN budgets jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE tenants DROP COLUMN budgets;
