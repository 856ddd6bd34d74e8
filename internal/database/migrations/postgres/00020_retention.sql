-- +goose Up
-- For how many days a tenant keeps what was said in calls that are over (null:
-- for ever), until which end of a call all are purged, and whether what
-- is written of its calls is masked.
ALTER TABLE tenants ADD COLUMN retention_days integer, ADD COLUMN purged_until timestamptz, ADD COLUMN redact boolean NOT NULL DEFAULT false;
-- The tenant's redact when the call was made, and when it was purged.
ALTER TABLE calls ADD COLUMN redact boolean NOT NULL DEFAULT false, ADD COLUMN purged_at timestamptz;

-- +goose Down
ALTER TABLE calls DROP COLUMN purged_at, DROP COLUMN redact;
ALTER TABLE tenants DROP COLUMN redact, DROP COLUMN purged_until, DROP COLUMN retention_days;
