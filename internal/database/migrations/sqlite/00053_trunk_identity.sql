-- +goose Up
-- Who calls of a trunk say they come from, and which of their SIP headers calls may have. headers_in and headers_out are JSON.
ALTER TABLE sip_trunks ADD COLUMN from_domain TEXT;
ALTER TABLE sip_trunks ADD COLUMN identity TEXT NOT NULL DEFAULT 'from';
ALTER TABLE sip_trunks ADD COLUMN privacy TEXT NOT NULL DEFAULT 'none';
ALTER TABLE sip_trunks ADD COLUMN default_country TEXT;
ALTER TABLE sip_trunks ADD COLUMN allow_uris BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE sip_trunks ADD COLUMN headers_in TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sip_trunks ADD COLUMN headers_out TEXT NOT NULL DEFAULT '[]';
CREATE INDEX sip_trunks_country ON sip_trunks (default_country) WHERE default_country IS NOT NULL;

-- What the network said about the caller of a phone call, and the headers of an outbound one, encrypted.
ALTER TABLE calls ADD COLUMN caller TEXT;
ALTER TABLE calls ADD COLUMN caller_name TEXT;
ALTER TABLE calls ADD COLUMN verstat TEXT;
ALTER TABLE calls ADD COLUMN attestation TEXT;
ALTER TABLE calls ADD COLUMN sip_headers BLOB;

-- +goose Down
ALTER TABLE calls DROP COLUMN sip_headers;
ALTER TABLE calls DROP COLUMN attestation;
ALTER TABLE calls DROP COLUMN verstat;
ALTER TABLE calls DROP COLUMN caller_name;
ALTER TABLE calls DROP COLUMN caller;
DROP INDEX sip_trunks_country;
ALTER TABLE sip_trunks DROP COLUMN headers_out;
ALTER TABLE sip_trunks DROP COLUMN headers_in;
ALTER TABLE sip_trunks DROP COLUMN allow_uris;
ALTER TABLE sip_trunks DROP COLUMN default_country;
ALTER TABLE sip_trunks DROP COLUMN privacy;
ALTER TABLE sip_trunks DROP COLUMN identity;
ALTER TABLE sip_trunks DROP COLUMN from_domain;
