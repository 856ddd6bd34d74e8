-- +goose Up
-- Sounds that callers on hold hear. The content is Ogg Opus; it is the last column, so that lists need not read over it.
CREATE TABLE sounds (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL,
  duration_ms bigint NOT NULL,
  size_bytes bigint NOT NULL,
  created_at timestamptz NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);
ALTER TABLE sounds ENABLE ROW LEVEL SECURITY;
ALTER TABLE sounds FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sounds USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

-- +goose Down
DROP TABLE sounds;
