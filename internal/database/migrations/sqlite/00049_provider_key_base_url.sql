-- +goose Up
-- Where the key is sent; '' for the provider's own address.
ALTER TABLE provider_keys ADD COLUMN base_url TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE provider_keys DROP COLUMN base_url;
