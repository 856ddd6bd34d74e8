-- +goose Up
-- Pages of persons to whom callers are transferred. A link opens a page once. secret is the link's secret, encrypted for the webhooks that
-- are still to carry it; it is empty once the page was opened. closes_at is set when the call ends, ended_at when the person was not
-- reached: nothing is shown from then on.
CREATE TABLE transfer_pages (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL PRIMARY KEY,
  call_id TEXT NOT NULL,
  livemode BOOLEAN NOT NULL,
  hash BLOB NOT NULL,
  secret BLOB NOT NULL,
  session_hash BLOB,
  mode TEXT NOT NULL,
  phase TEXT NOT NULL,
  summary TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  expires_at TIMESTAMP NOT NULL,
  opened_at TIMESTAMP,
  closes_at TIMESTAMP,
  ended_at TIMESTAMP
);
CREATE INDEX transfer_pages_call ON transfer_pages (call_id);
CREATE INDEX transfer_pages_created ON transfer_pages (created_at);

-- +goose Down
DROP TABLE transfer_pages;
