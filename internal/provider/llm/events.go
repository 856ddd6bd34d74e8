package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"

	"parley/internal/dialogue"
)

// maxEvent limits an event's data and a line, in bytes. It exceeds known events: OpenAI's Responses API repeats the
// request's prompt and tools.
const maxEvent = 4 << 20

// Event is an event of a text/event-stream.
type Event struct {
	Name string // the event field, "" without one
	Data []byte // the data fields, joined by LF; valid until the next event
	Done bool   // the stream's mark of its end; the other fields are empty
}

// Events reads a text/event-stream as the HTML standard defines it: lines end in LF, CRLF or CR, a byte order mark
// may precede the first, comments and other fields are ignored, and an incomplete last event is dropped. Events
// without data are dropped too. The data [DONE] ends the sequence, as in OpenAI's streams; it is an item with Done.
//
// An error is the last item: the reader's, unless it is io.EOF, or an event or line over 4 MiB.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
func Events(r io.Reader) iter.Seq2[Event, error] { return events(r, maxEvent) }

func events(r io.Reader, limit int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := lineReader{in: bufio.NewReader(r), limit: limit}
		var event Event
		for {
			line, err := lines.next()
			if err == nil && len(line) > 0 {
				err = event.add(line, limit)
			}
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(Event{}, err)
				return
			case len(line) > 0:
				continue
			}
			event.Data = bytes.TrimSuffix(event.Data, []byte("\n"))
			if bytes.HasPrefix(event.Data, []byte("[DONE]")) {
				yield(Event{Done: true}, nil)
				return
			}
			if len(event.Data) > 0 && !yield(event, nil) {
				return
			}
			event = Event{Data: event.Data[:0]}
		}
	}
}

// add adds the field of a line.
func (e *Event) add(line []byte, limit int) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.Name = string(value)
	case "data":
		if len(e.Data)+len(value) > limit {
			return dialogue.Errorf("an event is larger than %d bytes", limit)
		}
		e.Data = append(append(e.Data, value...), '\n')
	}
	return nil
}

// lineReader reads lines that end in LF, CRLF or CR. It never reads beyond a line's end.
type lineReader struct {
	in      *bufio.Reader
	limit   int // bytes of a line
	line    []byte
	begun   bool // the first line was read
	afterCR bool // an LF that follows belongs to the line before
}

// next returns the next line without its end, valid until the next call. An unterminated last line is dropped.
func (r *lineReader) next() ([]byte, error) {
	r.line = r.line[:0]
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return nil, err
		}
		second := r.afterCR && b == '\n'
		r.afterCR = b == '\r'
		switch {
		case second:
		case b == '\n' || b == '\r':
			line := r.line
			if !r.begun {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			r.begun = true
			return line, nil
		case len(r.line) == r.limit:
			return nil, dialogue.Errorf("a line of the event stream is longer than %d bytes", r.limit)
		default:
			r.line = append(r.line, b)
		}
	}
}
