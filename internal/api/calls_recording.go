package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/recording"
)

// Recordings is what the API needs of the kept sound of calls.
type Recordings interface {
	Open(ctx context.Context, name string) (recording.Content, error)
}

// recordingTimeout bounds the download of a recording.
const recordingTimeout = 10 * time.Minute

type recordingIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the call."`
	// Range is for the description: serveContent reads the header itself.
	Range string `header:"Range" doc:"Byte range of the recording (RFC 9110, section 14.2). Ignored for a recording in several parts, of a call that another worker took over." example:"bytes=0-65535"`
}

func (s *Server) registerRecordings() {
	op := wire.Operation{
		ID: "get-call-recording", Method: http.MethodGet, Path: "/api/v1/calls/{id}/recording", Tag: "Calls", Scope: "calls:read",
		Summary: "Download a call's recording", Errors: []fault.Code{fault.NotFound, fault.Conflict, fault.PreconditionFailed, fault.RangeNotSatisfiable},
		Description: "Ogg Opus in stereo: the caller on the left, the agents on the right. Only conversations with agents whose `recording` " +
			"is true are audible. Available after the end of the call. Supports `Range` requests.",
	}
	wire.Register(s.router, op, func(ctx context.Context, who auth.Principal, in *recordingIn) (*huma.StreamResponse, error) {
		c, err := s.seen(ctx, who, in.ID)
		switch {
		case err != nil:
			return nil, err
		case !c.PurgedAt.IsZero():
			return nil, fault.New(fault.NotFound, "what was said in the call was deleted after the tenant's retention")
		case c.Recordings == 0:
			return nil, fault.New(fault.NotFound, "the call was not recorded")
		case !c.Status.Terminal():
			return nil, fault.New(fault.Conflict, "the recording can be heard when the call is over")
		}
		parts, err := s.openParts(ctx, c.TenantID, c.ID, c.Recordings)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) { servePartsOf(ctx, c.ID, c.EndedAt, parts) }}, nil
	})
	describeAudio(s.huma.OpenAPI().Paths[op.Path].Get.Responses, "recording", recording.MediaType)
}

// openParts opens all parts of a recording. The first must be there; a later
// one may never have been written.
func (s *Server) openParts(ctx context.Context, tenantID, callID string, parts int64) (opened []recording.Content, err error) {
	for part := range parts {
		content, err := s.deps.Recordings.Open(ctx, recording.Name(tenantID, callID, part+1))
		if fault.Is(err, fault.NotFound) && len(opened) > 0 {
			continue
		}
		if err != nil {
			closeParts(opened)
			return nil, err
		}
		opened = append(opened, content)
	}
	return opened, nil
}

func closeParts(parts []recording.Content) {
	for _, part := range parts {
		_ = part.Close()
	}
}

// servePartsOf sends a recording. Several parts follow each other, as Ogg
// allows (RFC 3533, section 4: chained streams).
func servePartsOf(ctx huma.Context, callID string, ended time.Time, parts []recording.Content) {
	defer closeParts(parts)
	r, w := humago.Unwrap(ctx)
	h := w.Header()
	h.Set("Content-Type", recording.MediaType)
	h.Set("Content-Disposition", fmt.Sprintf(`inline; filename="call-%s.ogg"`, callID))
	h.Set("Cache-Control", "private, no-store")
	// A test's recorder has no deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(recordingTimeout))
	if len(parts) == 1 {
		wire.ServeContent(w, r, ended, parts[0])
		return
	}
	var size int64
	for _, part := range parts {
		size += part.Size()
	}
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	w.WriteHeader(http.StatusOK)
	for _, part := range parts {
		if _, err := io.Copy(w, part); err != nil {
			return // the client has gone; it sees that the length is short
		}
	}
}
