-- +goose Up
-- Whether the other side of the trunk's calls may have the gateway dial (REFER).
ALTER TABLE sip_trunks ADD COLUMN accept_transfers boolean NOT NULL DEFAULT FALSE;
-- SIP messages of phone calls, secrets masked, where the operator has them traced. Those of inbound calls that were refused belong to
-- the phone number alone.
CREATE TABLE sip_messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid REFERENCES calls (id) ON DELETE CASCADE,
  phone_number_id uuid,
  sip_call_id text NOT NULL,
  sent boolean NOT NULL,
  transport text NOT NULL,
  peer text NOT NULL,
  start_line text NOT NULL,
  message text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX sip_messages_call ON sip_messages (tenant_id, call_id, id);
CREATE INDEX sip_messages_number ON sip_messages (tenant_id, phone_number_id, id) WHERE call_id IS NULL;
CREATE INDEX sip_messages_age ON sip_messages (created_at);
ALTER TABLE sip_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE sip_messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sip_messages USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE sip_messages;
ALTER TABLE sip_trunks DROP COLUMN accept_transfers;
