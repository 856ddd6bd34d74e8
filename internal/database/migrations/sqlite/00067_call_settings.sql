-- +goose Up
ALTER TABLE calls ADD COLUMN settings BLOB;

-- +goose Down
ALTER TABLE calls DROP COLUMN settings;
