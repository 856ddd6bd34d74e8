-- +goose Up
-- What a tenant may dial, as JSON: what numbers begin with and the special
-- ranges that are allowed by name; and how many calls at once, a minute and a
-- day (null: the platform's limit).
ALTER TABLE tenants ADD COLUMN phone_prefixes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tenants ADD COLUMN phone_ranges TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tenants ADD COLUMN phone_at_once INTEGER;
ALTER TABLE tenants ADD COLUMN phone_per_minute INTEGER;
ALTER TABLE tenants ADD COLUMN phone_per_day INTEGER;
CREATE INDEX calls_dialled ON calls (tenant_id, created_at) WHERE call_type = 'sip' AND direction = 'outbound' AND livemode;

-- +goose Down
DROP INDEX calls_dialled;
ALTER TABLE tenants DROP COLUMN phone_per_day;
ALTER TABLE tenants DROP COLUMN phone_per_minute;
ALTER TABLE tenants DROP COLUMN phone_at_once;
ALTER TABLE tenants DROP COLUMN phone_ranges;
ALTER TABLE tenants DROP COLUMN phone_prefixes;
