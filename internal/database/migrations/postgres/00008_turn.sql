-- +goose Up
-- A turn's measurements are null where there was none.
CREATE TABLE call_turns (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  call_id uuid NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  agent_name text NOT NULL,
  stt_provider text,
  llm_provider text,
  tts_provider text,
  endpointing_ms double precision,
  stt_ms double precision,
  llm_ms double precision,
  tts_ms double precision,
  voice_to_voice_ms double precision,
  interrupted boolean NOT NULL,
  input_tokens bigint,
  output_tokens bigint,
  created_at timestamptz NOT NULL
);
CREATE INDEX call_turns_call ON call_turns (tenant_id, call_id, created_at, id);
ALTER TABLE call_turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE call_turns FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON call_turns USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE call_turns;
