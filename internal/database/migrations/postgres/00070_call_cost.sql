-- +goose Up
-- The cost of a call that has ended.
ALTER TABLE calls ADD COLUMN cost jsonb;

-- +goose Down
ALTER TABLE calls DROP COLUMN cost;
