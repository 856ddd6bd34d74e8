-- +goose Up
-- Whether an entry of the caller was said over the agent without effect: the model has not seen it.
ALTER TABLE transcript_entries ADD COLUMN ignored boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE transcript_entries DROP COLUMN ignored;
