package wire

import (
	"errors"
	"io"
	"net/http"
	"time"

	"parley/internal/fault"
)

// ServeContent answers with a file, or the ranges of it that are asked for, as
// http.ServeContent does, and with the error envelope where that refuses.
func ServeContent(w http.ResponseWriter, r *http.Request, modified time.Time, content io.ReadSeeker) {
	answer := &contentWriter{ResponseWriter: w}
	http.ServeContent(answer, r, "", modified, content)
	if answer.refused == 0 {
		return
	}
	h := w.Header()
	for _, name := range []string{"Accept-Ranges", "Content-Disposition", "Content-Length", "ETag", "Last-Modified"} { // of the file
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	switch answer.refused {
	case http.StatusRequestedRangeNotSatisfiable:
		WriteProblem(w, r, fault.New(fault.RangeNotSatisfiable, "the file has nothing of what the Range header asks for"))
	case http.StatusPreconditionFailed:
		WriteProblem(w, r, fault.New(fault.PreconditionFailed, "the file is not the one that If-Match or If-Unmodified-Since asks for"))
	default:
		WriteProblem(w, r, errors.New("serve content: the file cannot be read"))
	}
}

// contentWriter holds back answers of errors, which are plain text.
type contentWriter struct {
	http.ResponseWriter
	refused int // the status of such an answer; 0 for none
}

func (w *contentWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *contentWriter) Write(b []byte) (int, error) {
	if w.refused != 0 {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach deadlines.
func (w *contentWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
