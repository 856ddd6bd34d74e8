-- +goose Up
-- What a turn used of its providers.
ALTER TABLE call_turns ADD COLUMN usage TEXT;

-- +goose Down
ALTER TABLE call_turns DROP COLUMN usage;
