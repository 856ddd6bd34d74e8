-- +goose Up
-- For how many days a tenant keeps what was said in calls that are over (null:
-- for ever), until which end of a call all are purged, and whether what
-- is written of its calls is masked.
ALTER TABLE tenants ADD COLUMN retention_days INTEGER;
ALTER TABLE tenants ADD COLUMN purged_until TIMESTAMP;
ALTER TABLE tenants ADD COLUMN redact BOOLEAN NOT NULL DEFAULT false;
-- The tenant's redact when the call was made, and when it was purged.
ALTER TABLE calls ADD COLUMN redact BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE calls ADD COLUMN purged_at TIMESTAMP;

-- +goose Down
ALTER TABLE calls DROP COLUMN purged_at;
ALTER TABLE calls DROP COLUMN redact;
ALTER TABLE tenants DROP COLUMN redact;
ALTER TABLE tenants DROP COLUMN purged_until;
ALTER TABLE tenants DROP COLUMN retention_days;
