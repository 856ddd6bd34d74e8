-- +goose Up
-- Calls that are over and of which there is something left to purge, whenever they ended: until when a tenant's are purged
-- is not noted any more, for a backup may bring back older ones. The column that told stays, unused: nodes of the version
-- before read it for as long as they run beside new ones.
CREATE INDEX calls_unpurged ON calls (tenant_id, ended_at, id) WHERE ended_at IS NOT NULL AND (purged_at IS NULL OR recordings > 0);

-- +goose Down
DROP INDEX calls_unpurged;
