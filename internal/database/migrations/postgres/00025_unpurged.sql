-- +goose Up
-- Calls that are over and of which there is something left to purge, whenever they ended: until when a tenant's are purged
-- is not noted any more, for a backup may bring back older ones.
CREATE INDEX calls_unpurged ON calls (tenant_id, ended_at, id) WHERE ended_at IS NOT NULL AND (purged_at IS NULL OR recordings > 0);
ALTER TABLE tenants DROP COLUMN purged_until;

-- +goose Down
ALTER TABLE tenants ADD COLUMN purged_until timestamptz;
DROP INDEX calls_unpurged;
