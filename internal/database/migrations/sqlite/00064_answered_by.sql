-- +goose Up
-- Who answered a phone call that was dialled (call.AnsweredBy).
ALTER TABLE calls ADD COLUMN answered_by TEXT;

-- +goose Down
ALTER TABLE calls DROP COLUMN answered_by;
