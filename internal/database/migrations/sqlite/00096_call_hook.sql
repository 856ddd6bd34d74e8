-- +goose Up
ALTER TABLE phone_numbers ADD COLUMN call_hook TEXT;

-- +goose Down
ALTER TABLE phone_numbers DROP COLUMN call_hook;
