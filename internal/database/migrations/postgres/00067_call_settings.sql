-- +goose Up
ALTER TABLE calls ADD COLUMN settings bytea;

-- +goose Down
ALTER TABLE calls DROP COLUMN settings;
