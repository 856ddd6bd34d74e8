-- +goose Up
-- Who changed what. Rows are never changed, and deleted only when they are older than what audit_horizon says, which
-- retention moves on.
CREATE TABLE audit_log (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  id TEXT NOT NULL,
  created_at TIMESTAMP NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  action TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT,
  resource_name TEXT,
  changes TEXT NOT NULL, -- JSON array of names of fields
  client_address TEXT,
  request_id TEXT,
  PRIMARY KEY (tenant_id, id)
) WITHOUT ROWID;
CREATE INDEX audit_log_actor ON audit_log (tenant_id, actor_id, id);
CREATE INDEX audit_log_action ON audit_log (tenant_id, action, id);
CREATE INDEX audit_log_resource ON audit_log (tenant_id, resource_type, id);
CREATE INDEX audit_log_age ON audit_log (created_at);

CREATE TABLE audit_horizon (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  oldest TIMESTAMP NOT NULL
);
INSERT INTO audit_horizon (id, oldest) VALUES (1, '1970-01-01 00:00:00+00:00');

-- +goose StatementBegin
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_log_kept BEFORE DELETE ON audit_log WHEN OLD.created_at >= (SELECT oldest FROM audit_horizon) BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd
-- REPLACE deletes without that trigger.
-- +goose StatementBegin
CREATE TRIGGER audit_log_not_replaced BEFORE INSERT ON audit_log WHEN EXISTS (SELECT 1 FROM audit_log WHERE tenant_id = NEW.tenant_id AND id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_log;
DROP TABLE audit_horizon;
