-- +goose Up
-- parley_sees is the condition of every row-level security policy: a
-- transaction sees the rows of the tenant that it named, or, as "system", all.
-- +goose StatementBegin
CREATE FUNCTION parley_sees(tenant uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT current_setting('parley.tenant', true) IN ('system', tenant::text) $$;
-- +goose StatementEnd

CREATE TABLE tenants (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL
);
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tenants USING (parley_sees(id));

-- +goose Down
DROP TABLE tenants;
DROP FUNCTION parley_sees;
