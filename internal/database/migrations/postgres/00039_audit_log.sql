-- +goose Up
-- Who changed what. Rows are never changed, and deleted only when they are older than what audit_horizon says, which
-- retention moves on.
CREATE TABLE audit_log (
  tenant_id uuid NOT NULL REFERENCES tenants (id),
  id text NOT NULL,
  created_at timestamptz NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  action text NOT NULL,
  resource_type text NOT NULL,
  resource_id text,
  resource_name text,
  changes jsonb NOT NULL, -- array of names of fields
  client_address text,
  request_id text,
  PRIMARY KEY (tenant_id, id)
);
CREATE INDEX audit_log_actor ON audit_log (tenant_id, actor_id, id);
CREATE INDEX audit_log_action ON audit_log (tenant_id, action, id);
CREATE INDEX audit_log_resource ON audit_log (tenant_id, resource_type, id);
CREATE INDEX audit_log_age ON audit_log (created_at);
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_log USING ((SELECT current_setting('parley.tenant', true)) IN ('system', tenant_id::text));

CREATE TABLE audit_horizon (
  id integer PRIMARY KEY CHECK (id = 1),
  oldest timestamptz NOT NULL
);
INSERT INTO audit_horizon (id, oldest) VALUES (1, 'epoch');

-- +goose StatementBegin
CREATE FUNCTION parley_audit_log_kept() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.created_at < (SELECT oldest FROM audit_horizon) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_kept BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION parley_audit_log_kept();
CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION parley_audit_log_kept();

-- +goose Down
DROP TABLE audit_log;
DROP TABLE audit_horizon;
DROP FUNCTION parley_audit_log_kept;
