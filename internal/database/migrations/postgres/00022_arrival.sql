-- +goose Up
-- When the caller of a call that waits came to its room (null: has not, or left again). Those calls go first.
ALTER TABLE calls ADD COLUMN arrived_at timestamptz;
-- The calls that wait for a worker, tenant by tenant; those of them whose callers have come; and the calls in workers'
-- hands. A claim leaps from one tenant to the next.
CREATE INDEX calls_queue ON calls (tenant_id, created_at, id) WHERE status = 'pending' AND claimed_by IS NULL;
CREATE INDEX calls_arrived ON calls (tenant_id, created_at, id) WHERE status = 'pending' AND claimed_by IS NULL AND arrived_at IS NOT NULL;
CREATE INDEX calls_held ON calls (tenant_id) WHERE claimed_by IS NOT NULL;

-- +goose Down
DROP INDEX calls_held;
DROP INDEX calls_arrived;
DROP INDEX calls_queue;
ALTER TABLE calls DROP COLUMN arrived_at;
