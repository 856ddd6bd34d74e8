package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/sound"
)

// soundUpload is a file that becomes a sound. It is the body itself: base64 in JSON would be a third larger, and a form needs parsers and
// builders that the clients do without.
var soundUpload = &wire.Upload{
	Max: sound.MaxFile, Of: "a WAV or Ogg Opus file",
	Types: map[string][]string{"audio/wav": {"audio/x-wav", "audio/wave", "audio/vnd.wave"}, "audio/ogg": {"audio/opus", "application/ogg"}},
}

type soundBody struct {
	ID         string    `json:"id" format:"uuid"`
	Name       string    `json:"name" doc:"Unique name of the sound within the tenant." example:"waiting"`
	DurationMS int64     `json:"duration_ms" doc:"Duration in milliseconds." example:"60000"`
	SizeBytes  int64     `json:"size_bytes" doc:"Size of the stored audio in bytes." example:"240000"`
	CreatedAt  wire.Time `json:"created_at"`
}

func showSound(s *sound.Sound, _ []string) soundBody {
	return soundBody{s.ID, s.Name, s.DurationMS, s.SizeBytes, wire.Time(s.CreatedAt)}
}

type soundIn struct {
	Name string `path:"name" example:"waiting" doc:"Name of the sound."`
}

type createSoundIn struct {
	Name string `query:"name" required:"true" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Unique name of the sound within the tenant, used in paths and in agents. Cannot be changed." example:"waiting"`
}

type soundAudioIn struct {
	Name string `path:"name" example:"waiting" doc:"Name of the sound."`
	// Range is for the description: wire.ServeContent reads the header itself.
	Range string `header:"Range" doc:"Byte range of the audio (RFC 9110, section 14.2)." example:"bytes=0-65535"`
}

func (s *Server) registerSounds() {
	sounds := wire.Resource[sound.Store, sound.Sound, soundBody]{
		Router: s.router, Tag: "Sounds", Path: "/api/v1/sounds", Key: "name", Title: "a sound", Scope: "sounds", Store: s.sounds, Show: showSound,
	}
	wire.List(sounds, wire.Operation{Description: "Newest first."},
		func(ctx context.Context, store sound.Store, in *wire.PageIn) ([]sound.Sound, int64, error) {
			return store.List(ctx, in.Limit, in.Offset)
		},
		func(r *sound.Sound) soundBody { return showSound(r, nil) })
	wire.Register(s.router, wire.Operation{
		ID: "create-sound", Method: http.MethodPost, Path: sounds.Path, Tag: sounds.Tag, Scope: "sounds:write", Status: http.StatusCreated, Unaudited: true, Upload: soundUpload,
		Summary: "Upload a sound", Errors: []fault.Code{fault.Conflict},
		Description: "The body is the file: WAV (PCM of 8, 16, 24 or 32 bits, or floats of 32, at 8 to 96 kHz) or Ogg Opus, with one or two channels, of at most 5 MiB and 1 second to 5 minutes. It is decoded as a whole, and kept as mono Ogg Opus at an even level. " +
			"Agents that name it in `config.hold_sound` play it to callers on hold, those that name it in `config.ambience` or `config.thinking_sound` while they talk with them.",
	}, s.createSound)
	wire.Get[soundIn](sounds, wire.Operation{}, sound.Store.Get)
	wire.Delete[soundIn](sounds, wire.Operation{
		Description: "A sound that active agents name is a conflict, which names them. Calls that play it go on with it.",
		Errors:      []fault.Code{fault.NotFound, fault.Conflict},
	}, sound.Store.Delete)
	s.registerSoundAudio(wire.Operation{
		ID: "get-sound-audio", Method: http.MethodGet, Path: sounds.Path + "/{name}/audio", Tag: sounds.Tag, Scope: "sounds:read",
		Summary: "Download a sound", Description: "Ogg Opus in mono, as callers on hold hear it. Supports `Range` requests.",
		Errors: []fault.Code{fault.NotFound, fault.PreconditionFailed, fault.RangeNotSatisfiable},
	})
}

func (s *Server) sounds(who auth.Principal) sound.Store {
	return s.deps.Sounds.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) createSound(ctx context.Context, who auth.Principal, in *createSoundIn) (*wire.Answer[soundBody], error) {
	created, err := s.sounds(who).Create(ctx, in.Name, wire.FileOf(ctx))
	if err != nil {
		return nil, err
	}
	s.auditRequest(ctx, who, "sound.create", created.ID, created.Name)
	return wire.NewAnswer(showSound(created, nil)), nil
}

func (s *Server) registerSoundAudio(op wire.Operation) {
	wire.Register(s.router, op, func(ctx context.Context, who auth.Principal, in *soundAudioIn) (*huma.StreamResponse, error) {
		found, content, err := s.sounds(who).Content(ctx, in.Name)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			r, w := humago.Unwrap(ctx)
			h := w.Header()
			h.Set("Content-Type", sound.MediaType)
			h.Set("Content-Disposition", fmt.Sprintf(`inline; filename="%s.ogg"`, found.Name))
			h.Set("Cache-Control", "private, no-store")
			wire.ServeContent(w, r, found.CreatedAt, bytes.NewReader(content))
		}}, nil
	})
	describeAudio(s.huma.OpenAPI().Paths[op.Path].Get.Responses, "sound", sound.MediaType)
}

// describeAudio describes answers that wire.ServeContent gives with audio.
func describeAudio(answers map[string]*huma.Response, what, mediaType string) {
	audio := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	answers["200"] = &huma.Response{Description: "The " + what + ".", Content: map[string]*huma.MediaType{mediaType: audio}}
	answers["206"] = &huma.Response{
		Description: "The requested ranges; several as `multipart/byteranges` (RFC 9110, section 14.6).",
		Content:     map[string]*huma.MediaType{mediaType: audio, "multipart/byteranges": audio},
	}
	answers["304"] = &huma.Response{Description: "The " + what + " is older than `If-Modified-Since`."}
}
