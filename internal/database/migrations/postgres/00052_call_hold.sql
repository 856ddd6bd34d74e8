-- +goose Up
-- Whether a phone call is on hold, and the quality of its audio (audio.Quality).
ALTER TABLE calls ADD COLUMN held boolean NOT NULL DEFAULT false;
ALTER TABLE calls ADD COLUMN quality jsonb;
-- Whether an entry of the caller is keys of the phone.
ALTER TABLE transcript_entries ADD COLUMN dtmf boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE transcript_entries DROP COLUMN dtmf;
ALTER TABLE calls DROP COLUMN quality;
ALTER TABLE calls DROP COLUMN held;
