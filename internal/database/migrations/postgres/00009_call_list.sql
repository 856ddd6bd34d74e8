-- +goose Up
-- parley_sees in a language that is not inlined: the planner takes the inlined
-- condition to be true of one row in a hundred, and then rather reads and sorts
-- all calls of a month than to walk an index for a page of them.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION parley_sees(tenant uuid) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS
$$ BEGIN RETURN current_setting('parley.tenant', true) IN ('system', tenant::text); END $$;
-- +goose StatementEnd

-- A list of calls is sorted, and filtered by time, by when a call became
-- active, or else by when it was made.
ALTER TABLE calls ADD COLUMN listed_at timestamptz GENERATED ALWAYS AS (COALESCE(started_at, created_at)) STORED;
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
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  span text NOT NULL, -- all, day, hour
  at timestamptz NOT NULL, -- the span's start; 1970 for all
  workflow text NOT NULL, -- the workflow's id, or ''
  status text NOT NULL,
  livemode boolean NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (tenant_id, span, at, workflow, status, livemode)
);
ALTER TABLE call_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_counts USING (parley_sees(tenant_id));

-- The same for each user, for all time.
CREATE TABLE call_user_counts (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  user_id text NOT NULL,
  workflow text NOT NULL,
  status text NOT NULL,
  livemode boolean NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (tenant_id, user_id, workflow, status, livemode)
);
ALTER TABLE call_user_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_user_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_user_counts USING (parley_sees(tenant_id));

SELECT set_config('parley.tenant', 'system', true);
INSERT INTO call_counts
SELECT tenant_id, span, CASE span WHEN 'all' THEN to_timestamp(0) ELSE date_trunc(span, listed_at, 'UTC') END AS at, COALESCE(workflow_id::text, ''), status, livemode, COUNT(*)
FROM calls CROSS JOIN (VALUES ('all'), ('day'), ('hour')) spans (span)
WHERE ended_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO call_user_counts
SELECT tenant_id, user_id, COALESCE(workflow_id::text, ''), status, livemode, COUNT(*)
FROM calls WHERE ended_at IS NOT NULL AND user_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5;

-- What was answered to requests that carried an Idempotency-Key, for a day.
CREATE TABLE idempotency_keys (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  key text NOT NULL,
  request bytea NOT NULL, -- a digest
  answer bytea NOT NULL, -- sealed: it holds a join token
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON idempotency_keys USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE idempotency_keys;
DROP TABLE call_user_counts;
DROP TABLE call_counts;
ALTER TABLE calls DROP COLUMN listed_at;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION parley_sees(tenant uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT current_setting('parley.tenant', true) IN ('system', tenant::text) $$;
-- +goose StatementEnd
