-- +goose Up
-- What the conversation has come to know (flags, the workflow's state, tools
-- that were run), sealed, for a worker that takes the call over.
ALTER TABLE calls ADD COLUMN context BLOB;

-- +goose Down
ALTER TABLE calls DROP COLUMN context;
