-- +goose Up
-- What an analysis cost, in 10^-12 of the currency, and the run that it is part of, with the result that it replaces.
ALTER TABLE call_analyses ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_analyses ADD COLUMN run_id TEXT;
ALTER TABLE call_analyses ADD COLUMN previous TEXT;
CREATE INDEX call_analyses_run ON call_analyses (run_id) WHERE run_id IS NOT NULL;

-- +goose Down
DROP INDEX call_analyses_run;
ALTER TABLE call_analyses DROP COLUMN previous;
ALTER TABLE call_analyses DROP COLUMN run_id;
ALTER TABLE call_analyses DROP COLUMN cost;
