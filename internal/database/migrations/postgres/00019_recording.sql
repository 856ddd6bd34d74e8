-- +goose Up
-- How many parts of the call's sound were recorded: one for each worker that
-- had the call.
ALTER TABLE calls ADD COLUMN recordings bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE calls DROP COLUMN recordings;
