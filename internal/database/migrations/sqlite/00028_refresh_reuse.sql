-- +goose Up
-- Which client used a token up: HMAC-SHA256 over its address and user agent, with the token as the key. Null: not used, or
-- used before this was kept.
ALTER TABLE refresh_tokens ADD COLUMN used_by BLOB;

-- +goose Down
ALTER TABLE refresh_tokens DROP COLUMN used_by;
