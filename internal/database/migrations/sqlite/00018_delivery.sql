-- +goose Up
-- The attempts of an endpoint that failed since its last success.
ALTER TABLE webhooks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN failing_since TIMESTAMP;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN failing_since;
ALTER TABLE webhooks DROP COLUMN failures;
