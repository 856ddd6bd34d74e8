-- +goose Up
-- Transfers that trunks asked for count as calls that the tenant makes, at each dispatch of a phone call.
CREATE INDEX call_incidents_transfers ON call_incidents (tenant_id, created_at) WHERE type = 'transfer_requested';

-- +goose Down
DROP INDEX call_incidents_transfers;
