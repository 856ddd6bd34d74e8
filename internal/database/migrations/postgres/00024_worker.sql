-- +goose Up
-- The workers that take calls, and how many each runs at once. One that has not renewed its row for a lease is gone.
CREATE TABLE workers (
  name text PRIMARY KEY,
  capacity bigint NOT NULL,
  renewed_at timestamptz NOT NULL
);
-- How many conversations ended lately.
CREATE INDEX calls_over ON calls (ended_at) WHERE started_at IS NOT NULL AND ended_at IS NOT NULL;

-- +goose Down
DROP INDEX calls_over;
DROP TABLE workers;
