package llm

import (
	"bytes"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// reportsError reports whether an event of a stream is the vendor's error: by its name or by its data.
func reportsError(event Event) bool {
	return event.Name == "error" || bytes.Contains(event.Data, []byte(`"error"`)) && vendorerror.IsError(event.Data)
}

// statusError returns the error of an answer with another status than 200. It is dialogue.ErrRefused if a retry is useless.
func (x *Exchange) statusError(status int, body []byte) error {
	return vendorerror.Read(status, body).Err(x.key)
}

// streamError returns the error for one that a vendor reports during a stream; dialogue.ErrRefused if a retry is
// useless.
func (x *Exchange) streamError(data []byte) error {
	return dialogue.Wrap("stopped in the midst of the answer", vendorerror.Read(0, data).Err(x.key))
}
