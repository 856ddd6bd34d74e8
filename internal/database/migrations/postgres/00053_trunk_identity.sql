-- +goose Up
-- Who calls of a trunk say they come from, and which of their SIP headers calls may have.
ALTER TABLE sip_trunks ADD COLUMN from_domain text, ADD COLUMN identity text NOT NULL DEFAULT 'from', ADD COLUMN privacy text NOT NULL DEFAULT 'none',
  ADD COLUMN default_country text, ADD COLUMN allow_uris boolean NOT NULL DEFAULT false,
  ADD COLUMN headers_in jsonb NOT NULL DEFAULT '[]', ADD COLUMN headers_out jsonb NOT NULL DEFAULT '[]';
CREATE INDEX sip_trunks_country ON sip_trunks (default_country) WHERE default_country IS NOT NULL;

-- What the network said about the caller of a phone call, and the headers of an outbound one, encrypted.
ALTER TABLE calls ADD COLUMN caller text, ADD COLUMN caller_name text, ADD COLUMN verstat text, ADD COLUMN attestation text, ADD COLUMN sip_headers bytea;

-- +goose Down
ALTER TABLE calls DROP COLUMN sip_headers, DROP COLUMN attestation, DROP COLUMN verstat, DROP COLUMN caller_name, DROP COLUMN caller;
DROP INDEX sip_trunks_country;
ALTER TABLE sip_trunks DROP COLUMN headers_out, DROP COLUMN headers_in, DROP COLUMN allow_uris, DROP COLUMN default_country, DROP COLUMN privacy,
  DROP COLUMN identity, DROP COLUMN from_domain;
