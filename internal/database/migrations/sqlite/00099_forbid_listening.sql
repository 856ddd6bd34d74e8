-- +goose Up
ALTER TABLE tenants ADD COLUMN forbid_listening BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE tenants DROP COLUMN forbid_listening;
