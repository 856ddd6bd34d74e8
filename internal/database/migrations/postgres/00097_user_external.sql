-- +goose Up
-- A user of an identity provider: issuer and subject, separated by a space.
ALTER TABLE users ADD COLUMN external_id text;
CREATE UNIQUE INDEX users_external ON users (external_id);

-- +goose Down
DROP INDEX users_external;
ALTER TABLE users DROP COLUMN external_id;
