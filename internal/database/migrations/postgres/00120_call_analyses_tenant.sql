-- +goose Up
-- The queue takes turns among the tenants.
CREATE INDEX call_analyses_turn ON call_analyses (tenant_id, due_at, id) WHERE due_at IS NOT NULL;
DROP INDEX call_analyses_due;

-- +goose Down
CREATE INDEX call_analyses_due ON call_analyses (due_at) WHERE due_at IS NOT NULL;
DROP INDEX call_analyses_turn;
