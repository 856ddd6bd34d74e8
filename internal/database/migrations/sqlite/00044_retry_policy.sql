-- +goose Up
-- How often, and for how long, deliveries are tried again: standard or extended.
ALTER TABLE webhooks ADD COLUMN retry_policy TEXT NOT NULL DEFAULT 'standard';

-- +goose Down
ALTER TABLE webhooks DROP COLUMN retry_policy;
