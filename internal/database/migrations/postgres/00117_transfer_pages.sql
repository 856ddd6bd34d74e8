-- +goose Up
-- Pages of persons to whom callers are transferred. A link opens a page once. secret is the link's secret, encrypted for the webhooks that
-- are still to carry it; it is empty once the page was opened. closes_at is set when the call ends, ended_at when the person was not
-- reached: nothing is shown from then on.
CREATE TABLE transfer_pages (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL PRIMARY KEY,
  call_id uuid NOT NULL,
  livemode boolean NOT NULL,
  hash bytea NOT NULL,
  secret bytea NOT NULL,
  session_hash bytea,
  mode text NOT NULL,
  phase text NOT NULL,
  summary text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  opened_at timestamptz,
  closes_at timestamptz,
  ended_at timestamptz
);
CREATE INDEX transfer_pages_call ON transfer_pages (call_id);
CREATE INDEX transfer_pages_created ON transfer_pages (created_at);
ALTER TABLE transfer_pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE transfer_pages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON transfer_pages USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE transfer_pages;
