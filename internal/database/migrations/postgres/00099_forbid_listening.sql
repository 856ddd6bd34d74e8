-- +goose Up
ALTER TABLE tenants ADD COLUMN forbid_listening boolean NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE tenants DROP COLUMN forbid_listening;
