package speechhttp

import (
	"io"
	"iter"
	"mime"
	"net/http"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
	"parley/internal/provider/vendorerror"
)

// Parse returns the PCM in the data of an event, and whether nothing but the end of the stream has to follow.
type Parse func(data []byte) (pcm []byte, finished bool, err error)

// eventStream reads the PCM in a streamed answer.
type eventStream struct {
	next     func() (llm.Event, error, bool)
	stop     func()
	parse    Parse
	ended    func()
	rest     []byte // PCM that was received and not read
	finished bool
}

// NewEventStream reads the PCM in an answer that is a text/event-stream. ended, unless it is nil, is called once when it is closed.
func NewEventStream(response *http.Response, parse Parse, ended func()) (io.ReadCloser, error) {
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
		return nil, vendorerror.Unexpected("the answer is no event stream: is the base URL right?", kind)
	}
	s := &eventStream{parse: parse, ended: ended}
	s.next, s.stop = iter.Pull2(llm.Events(response.Body))
	return s, nil
}

var errCutOff = dialogue.NewError("the connection was closed before the end")

// Read implements io.Reader.
func (s *eventStream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		event, err, more := s.next()
		switch {
		case err != nil:
			return 0, err
		case event.Done || !more && s.finished:
			return 0, io.EOF
		case !more:
			return 0, errCutOff
		}
		pcm, finished, err := s.parse(event.Data)
		if err != nil {
			return 0, err
		}
		s.rest, s.finished = pcm, s.finished || finished
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (s *eventStream) Close() error {
	s.stop()
	if s.ended != nil {
		s.ended()
		s.ended = nil
	}
	return nil
}
