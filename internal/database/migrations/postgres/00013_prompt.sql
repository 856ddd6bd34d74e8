-- +goose Up
CREATE TABLE prompts (
  id uuid PRIMARY KEY,
  -- NULL: a default of the platform
  tenant_id uuid REFERENCES tenants (id),
  slug text NOT NULL,
  name text NOT NULL,
  description text,
  category text NOT NULL,
  content json NOT NULL,
  variables json NOT NULL,
  metadata json NOT NULL,
  version bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (tenant_id, id)
);
CREATE UNIQUE INDEX prompts_slug ON prompts (tenant_id, slug);
CREATE UNIQUE INDEX prompts_default ON prompts (slug) WHERE tenant_id IS NULL;
CREATE INDEX prompts_created ON prompts (tenant_id, created_at DESC, id DESC);

-- the platform's defaults
INSERT INTO prompts (id, tenant_id, slug, name, description, category, content, variables, metadata, version, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-000000000001', NULL, 'greeting', 'Greeting', 'What an agent says first.', 'greeting',
   '{"en": "Hello, how can I help you today?", "de": "Guten Tag, wie kann ich Ihnen helfen?", "es": "Hola, ¿en qué puedo ayudarle?"}',
   '[]', '{"interruptible":true}', 1, '2026-01-01 00:00:00+00:00', '2026-01-01 00:00:00+00:00'),
  ('00000000-0000-7000-8000-000000000002', NULL, 'closing', 'Closing', 'What an agent says before it ends the call.', 'closing',
   '{"en": "Thank you for calling. Goodbye!", "de": "Vielen Dank für Ihren Anruf. Auf Wiederhören!", "es": "Gracias por su llamada. ¡Hasta pronto!"}',
   '[]', '{"interruptible":false}', 1, '2026-01-01 00:00:00+00:00', '2026-01-01 00:00:00+00:00'),
  ('00000000-0000-7000-8000-000000000003', NULL, 'error', 'Error', 'What an agent says when it cannot go on.', 'error',
   '{"en": "I am sorry, something went wrong. Please try again later.", "de": "Es tut mir leid, da ist etwas schiefgegangen. Bitte versuchen Sie es später noch einmal.", "es": "Lo siento, algo ha salido mal. Por favor, inténtelo de nuevo más tarde."}',
   '[]', '{"interruptible":false}', 1, '2026-01-01 00:00:00+00:00', '2026-01-01 00:00:00+00:00');

ALTER TABLE prompts ENABLE ROW LEVEL SECURITY;
ALTER TABLE prompts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON prompts USING (parley_sees(tenant_id));
-- Every tenant reads the defaults; none writes them.
CREATE POLICY platform ON prompts FOR SELECT USING (tenant_id IS NULL);

-- earlier versions; the present one is the prompt itself
CREATE TABLE prompt_versions (
  tenant_id uuid NOT NULL,
  prompt_id uuid NOT NULL,
  version bigint NOT NULL,
  name text NOT NULL,
  description text,
  category text NOT NULL,
  content json NOT NULL,
  variables json NOT NULL,
  metadata json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, prompt_id, version),
  FOREIGN KEY (tenant_id, prompt_id) REFERENCES prompts (tenant_id, id) ON DELETE CASCADE
);
ALTER TABLE prompt_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE prompt_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON prompt_versions USING (parley_sees(tenant_id));

-- +goose Down
DROP TABLE prompt_versions;
DROP TABLE prompts;
