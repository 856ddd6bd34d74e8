-- +goose Up
-- The number of the last notes that a session of the call wrote: those whose
-- commit was not heard of are not written again.
ALTER TABLE calls ADD COLUMN journalled INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE calls DROP COLUMN journalled;
