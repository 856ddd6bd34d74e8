-- +goose Up
-- Whether the other side of the trunk's calls may have the gateway dial (REFER).
ALTER TABLE sip_trunks ADD COLUMN accept_transfers BOOLEAN NOT NULL DEFAULT FALSE;
-- SIP messages of phone calls, secrets masked, where the operator has them traced. Those of inbound calls that were refused belong to
-- the phone number alone.
CREATE TABLE sip_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT REFERENCES calls (id) ON DELETE CASCADE,
  phone_number_id TEXT,
  sip_call_id TEXT NOT NULL,
  sent BOOLEAN NOT NULL,
  transport TEXT NOT NULL,
  peer TEXT NOT NULL,
  start_line TEXT NOT NULL,
  message TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX sip_messages_call ON sip_messages (tenant_id, call_id, id);
CREATE INDEX sip_messages_number ON sip_messages (tenant_id, phone_number_id, id) WHERE call_id IS NULL;
CREATE INDEX sip_messages_age ON sip_messages (created_at);

-- +goose Down
DROP TABLE sip_messages;
ALTER TABLE sip_trunks DROP COLUMN accept_transfers;
