-- +goose Up
-- What a tenant may dial: what numbers begin with and the special ranges that
-- are allowed by name; and how many calls at once, a minute and a day (null:
-- the platform's limit).
ALTER TABLE tenants ADD COLUMN phone_prefixes jsonb NOT NULL DEFAULT '[]', ADD COLUMN phone_ranges jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN phone_at_once integer, ADD COLUMN phone_per_minute integer, ADD COLUMN phone_per_day integer;
CREATE INDEX calls_dialled ON calls (tenant_id, created_at) WHERE call_type = 'sip' AND direction = 'outbound' AND livemode;

-- +goose Down
DROP INDEX calls_dialled;
ALTER TABLE tenants DROP COLUMN phone_per_day, DROP COLUMN phone_per_minute, DROP COLUMN phone_at_once, DROP COLUMN phone_ranges, DROP COLUMN phone_prefixes;
