-- +goose Up
ALTER TABLE phone_numbers ADD COLUMN call_hook jsonb;

-- +goose Down
ALTER TABLE phone_numbers DROP COLUMN call_hook;
