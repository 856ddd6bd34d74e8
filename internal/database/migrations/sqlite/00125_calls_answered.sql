-- +goose Up
-- Outbound calls whose answer was classified are found and counted by its class.
CREATE INDEX calls_answered ON calls (tenant_id, json_extract(answered_by, '$.class'), listed_at, id) WHERE answered_by IS NOT NULL;

-- +goose Down
DROP INDEX calls_answered;
