-- +goose Up
CREATE INDEX calls_listed_phone ON calls (tenant_id, phone_number, listed_at, id) WHERE phone_number IS NOT NULL;
CREATE INDEX calls_listed_reason ON calls (tenant_id, status_reason, listed_at, id) WHERE status_reason IS NOT NULL;

-- +goose Down
DROP INDEX calls_listed_phone;
DROP INDEX calls_listed_reason;
