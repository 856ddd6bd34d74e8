-- +goose Up
-- Whether the events of transfers carry the links to the persons' pages.
ALTER TABLE webhooks ADD COLUMN include_page BOOLEAN NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN include_page;
