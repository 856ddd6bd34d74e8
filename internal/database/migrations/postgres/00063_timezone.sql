-- +goose Up
ALTER TABLE tenants ADD COLUMN timezone text;
ALTER TABLE calls ADD COLUMN trunk text;

-- +goose Down
ALTER TABLE tenants DROP COLUMN timezone;
ALTER TABLE calls DROP COLUMN trunk;
