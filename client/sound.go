package client

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Sound is a sound that agents play to callers on hold (AgentConfig.HoldSound). It never changes.
type Sound struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	DurationMS int64     `json:"duration_ms"`
	SizeBytes  int64     `json:"size_bytes"` // as it is stored
	CreatedAt  time.Time `json:"created_at"`
}

// UploadOptions describes a file that becomes a sound.
type UploadOptions struct {
	Name string // lowercase letters, digits, hyphens and underscores
	// ContentType is audio/wav or audio/ogg; "" for what the file begins with.
	ContentType string
}

// Sounds has the operations on sounds.
type Sounds struct{ c *Client }

const soundsPath = "/api/v1/sounds"

// Create uploads a WAV or Ogg Opus file of at most 5 MiB and 5 minutes. Errors: conflict if the name is taken, validation_error with the
// field body for what is wrong with the file.
func (s Sounds) Create(ctx context.Context, file []byte, o UploadOptions) (*Sound, error) {
	made := new(Sound)
	r := request{method: http.MethodPost, path: soundsPath, query: url.Values{"name": {o.Name}}, file: file, contentType: cmp.Or(o.ContentType, http.DetectContentType(file))}
	return made, s.c.call(ctx, r, made)
}

// List returns a page of the tenant's sounds, newest first.
func (s Sounds) List(ctx context.Context, o PageOptions) (*Page[Sound], error) {
	page := new(Page[Sound])
	return page, s.c.call(ctx, request{method: http.MethodGet, path: soundsPath, query: o.query()}, page)
}

// Get returns a sound by name. Error: not_found.
func (s Sounds) Get(ctx context.Context, name string) (*Sound, error) {
	found := new(Sound)
	return found, s.c.call(ctx, request{method: http.MethodGet, path: soundsPath + "/" + segment(name)}, found)
}

// Audio returns a sound as callers hear it: Ogg Opus, mono. Error: not_found.
func (s Sounds) Audio(ctx context.Context, name string) ([]byte, error) {
	r := request{method: http.MethodGet, path: soundsPath + "/" + segment(name) + "/audio", accept: "audio/ogg"}
	audio, err := s.c.send(ctx, r, nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	return audio, nil
}

// Delete deletes a sound. Error: conflict while an active agent uses it.
func (s Sounds) Delete(ctx context.Context, name string) error {
	return s.c.call(ctx, request{method: http.MethodDelete, path: soundsPath + "/" + segment(name)}, nil)
}
