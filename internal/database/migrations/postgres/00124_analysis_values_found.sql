-- +goose Up
-- Lists of calls that are selected by an answer are read and counted by it, the newest first, without the calls.
CREATE INDEX analysis_values_found ON analysis_values (tenant_id, name, analysis, value, at, call_id, number, livemode);

-- +goose Down
DROP INDEX analysis_values_found;
