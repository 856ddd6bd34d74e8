-- +goose Up
-- A list of calls is sorted, and filtered by time, by when a call became
-- active, or else by when it was made.
ALTER TABLE calls ADD COLUMN listed_at TIMESTAMP GENERATED ALWAYS AS (COALESCE(started_at, created_at)) VIRTUAL;
-- One index for each way that a list is filtered.
CREATE INDEX calls_listed ON calls (tenant_id, listed_at, id);
CREATE INDEX calls_listed_test ON calls (tenant_id, listed_at, id) WHERE NOT livemode;
CREATE INDEX calls_listed_status ON calls (tenant_id, status, listed_at, id);
CREATE INDEX calls_listed_workflow ON calls (tenant_id, workflow_id, listed_at, id);
CREATE INDEX calls_listed_workflow_status ON calls (tenant_id, workflow_id, status, listed_at, id);
CREATE INDEX calls_listed_user ON calls (tenant_id, user_id, listed_at, id) WHERE user_id IS NOT NULL;

-- How many calls are over, for the totals of lists: a call is counted once, in
-- the transaction that ends it. Each is counted for all time, for its day and
-- for its hour (UTC) of listed_at. Calls that are not over are few; they are
-- counted when asked for.
CREATE TABLE call_counts (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  span TEXT NOT NULL, -- all, day, hour
  at TIMESTAMP NOT NULL, -- the span's start; 1970 for all
  workflow TEXT NOT NULL, -- the workflow's id, or ''
  status TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, span, at, workflow, status, livemode)
) WITHOUT ROWID;

-- The same for each user, for all time.
CREATE TABLE call_user_counts (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  user_id TEXT NOT NULL,
  workflow TEXT NOT NULL,
  status TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, user_id, workflow, status, livemode)
) WITHOUT ROWID;

INSERT INTO call_counts
SELECT tenant_id, span, CASE span WHEN 'all' THEN '1970-01-01 00:00:00+00:00' WHEN 'day' THEN substr(listed_at, 1, 10) || ' 00:00:00+00:00' ELSE substr(listed_at, 1, 13) || ':00:00+00:00' END,
  COALESCE(workflow_id, ''), status, livemode, COUNT(*)
FROM calls CROSS JOIN (SELECT 'all' AS span UNION ALL SELECT 'day' UNION ALL SELECT 'hour') spans
WHERE ended_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO call_user_counts
SELECT tenant_id, user_id, COALESCE(workflow_id, ''), status, livemode, COUNT(*)
FROM calls WHERE ended_at IS NOT NULL AND user_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5;

-- What was answered to requests that carried an Idempotency-Key, for a day.
CREATE TABLE idempotency_keys (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  key TEXT NOT NULL,
  request BLOB NOT NULL, -- a digest
  answer BLOB NOT NULL, -- sealed: it holds a join token
  created_at TIMESTAMP NOT NULL,
  PRIMARY KEY (tenant_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- +goose Down
DROP TABLE idempotency_keys;
DROP TABLE call_user_counts;
DROP TABLE call_counts;
DROP INDEX calls_listed;
DROP INDEX calls_listed_test;
DROP INDEX calls_listed_status;
DROP INDEX calls_listed_workflow;
DROP INDEX calls_listed_workflow_status;
DROP INDEX calls_listed_user;
ALTER TABLE calls DROP COLUMN listed_at;
