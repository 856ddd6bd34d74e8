-- +goose Up
-- Prices that a tenant sets; NULL for none.
ALTER TABLE tenants ADD COLUMN prices jsonb;

-- +goose Down
ALTER TABLE tenants DROP COLUMN prices;
