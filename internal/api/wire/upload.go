package wire

import (
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/fault"
	"parley/internal/inflight"
)

// uploadTimeout bounds how long a file may take to arrive: 5 MB at 1.2 Mbit/s. The answer must be written within a minute of the request's
// beginning, and the file is handled until then.
const uploadTimeout = 35 * time.Second

// Upload describes a body that is a file.
type Upload struct {
	// Types are the media types, each with others that are accepted for it.
	Types map[string][]string
	// Max is the largest file in bytes.
	Max int64
	// Of says what the file is, as in "the body must be a WAV or Ogg Opus file".
	Of string
}

// requestBody describes the body.
func (u *Upload) requestBody() *huma.RequestBody {
	body := &huma.RequestBody{Required: true, Description: u.Of, Content: map[string]*huma.MediaType{}}
	for name := range u.Types {
		body.Content[name] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	return body
}

// accepts reports whether a Content-Type is one of the file.
func (u *Upload) accepts(header http.Header) bool {
	if e := header.Get("Content-Encoding"); e != "" && e != "identity" {
		return false
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return false
	}
	for name, others := range u.Types {
		if kind == name || slices.Contains(others, kind) {
			return true
		}
	}
	return false
}

// unsupported is the error of another Content-Type.
func (u *Upload) unsupported() *fault.Error {
	return fault.New(fault.UnsupportedMedia, "the body must be %s, Content-Type %s", u.Of, strings.Join(slices.Sorted(maps.Keys(u.Types)), " or "))
}

// receiveUpload reads a file, which counts as memory that the request holds.
func receiveUpload(w http.ResponseWriter, r *http.Request, u *Upload) error {
	if !u.accepts(r.Header) {
		return u.unsupported()
	}
	size := r.ContentLength
	if size < 0 {
		size = u.Max
	}
	if err := inflight.Reserve(r.Context(), int(min(size, u.Max))); err != nil {
		var busy *fault.Error
		if errors.As(err, &busy) {
			return fault.Later(busy.Code, busy.RetryAfter, "other files are being received: try again when they have arrived")
		}
		return err
	}
	file, err := readBody(w, r, u.Max, uploadTimeout)
	if err != nil {
		return err
	}
	if len(file) == 0 {
		return fault.Invalid([]fault.Detail{{Field: "body", Message: "is empty: it must be " + u.Of}})
	}
	r.Body = io.NopCloser(strings.NewReader(""))
	ExchangeOf(r.Context()).file = file
	return nil
}

// FileOf returns the file of a request to an operation with an Upload.
func FileOf(ctx context.Context) []byte { return ExchangeOf(ctx).file }
