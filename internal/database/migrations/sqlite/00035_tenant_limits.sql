-- +goose Up
-- A tenant's own limits, by name (docs/limits.md); those that are not in it have their defaults.
ALTER TABLE tenants ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE tenants DROP COLUMN limits;
