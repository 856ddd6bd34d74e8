-- +goose Up
-- A turn's measurements are null where there was none.
CREATE TABLE call_turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  call_id TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
  agent_name TEXT NOT NULL,
  stt_provider TEXT,
  llm_provider TEXT,
  tts_provider TEXT,
  endpointing_ms REAL,
  stt_ms REAL,
  llm_ms REAL,
  tts_ms REAL,
  voice_to_voice_ms REAL,
  interrupted BOOLEAN NOT NULL,
  input_tokens INTEGER,
  output_tokens INTEGER,
  created_at TIMESTAMP NOT NULL
);
CREATE INDEX call_turns_call ON call_turns (tenant_id, call_id, created_at, id);

-- +goose Down
DROP TABLE call_turns;
