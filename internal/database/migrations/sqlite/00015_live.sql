-- +goose Up
-- What ended since a live stream was last told.
CREATE INDEX calls_ended ON calls (tenant_id, ended_at) WHERE ended_at IS NOT NULL;

-- +goose Down
DROP INDEX calls_ended;
