-- +goose Up
-- The SIP gateways that dial for other processes. One that has not renewed its row for 15 s is gone.
CREATE TABLE gateways (
  name TEXT PRIMARY KEY NOT NULL,
  renewed_at TIMESTAMP NOT NULL
);
-- Requests to dial and to transfer, of processes without a gateway or whose gateway does not have the phone. request is sealed;
-- gateway is the one that has taken it, and result what it reports.
CREATE TABLE gateway_requests (
  id TEXT PRIMARY KEY NOT NULL,
  request BLOB NOT NULL,
  created_at TIMESTAMP NOT NULL,
  gateway TEXT,
  cancelled BOOLEAN NOT NULL DEFAULT false,
  result TEXT
);

-- +goose Down
DROP TABLE gateway_requests;
DROP TABLE gateways;
