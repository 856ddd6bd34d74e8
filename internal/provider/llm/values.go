package llm

import (
	"encoding/json"
	"errors"
	"io"
	"iter"

	"parley/internal/dialogue"
)

// jsonValues reads JSON values that follow each other, with or without line ends between them. They are events without a name. An error is
// the last item, as of Events.
func jsonValues(r io.Reader, limit int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		in := &io.LimitedReader{R: r, N: limit}
		decoder := json.NewDecoder(in)
		for {
			in.N = limit
			var value json.RawMessage
			switch err := decoder.Decode(&value); {
			case errors.Is(err, io.EOF) && in.N > 0:
				return
			case err != nil && in.N == 0:
				yield(Event{}, dialogue.Errorf("a value of the answer is larger than %d bytes", limit))
				return
			case err != nil:
				yield(Event{}, err)
				return
			}
			if !yield(Event{Data: value}, nil) {
				return
			}
		}
	}
}
