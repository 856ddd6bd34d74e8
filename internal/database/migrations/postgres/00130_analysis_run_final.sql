-- +goose Up
-- The progress of a run when it finished: later runs replace its results. NULL for runs that finished on the version before.
ALTER TABLE analysis_runs ADD COLUMN final jsonb;

-- +goose Down
ALTER TABLE analysis_runs DROP COLUMN final;
