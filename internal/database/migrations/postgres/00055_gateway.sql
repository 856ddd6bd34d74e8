-- +goose Up
-- The SIP gateways that dial for other processes. One that has not renewed its row for 15 s is gone.
CREATE TABLE gateways (
  name text PRIMARY KEY,
  renewed_at timestamptz NOT NULL
);
-- Requests to dial and to transfer, of processes without a gateway or whose gateway does not have the phone. request is sealed;
-- gateway is the one that has taken it, and result what it reports.
CREATE TABLE gateway_requests (
  id uuid PRIMARY KEY,
  request bytea NOT NULL,
  created_at timestamptz NOT NULL,
  gateway text,
  cancelled boolean NOT NULL DEFAULT false,
  result text
);

-- +goose Down
DROP TABLE gateway_requests;
DROP TABLE gateways;
