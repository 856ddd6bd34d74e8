package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
)

// silenceMax limits the time without a message, heartbeats included, after which a stream is taken for broken.
const silenceMax = 30 * time.Second

// messageMax limits the size of a line of a stream.
const messageMax = 4 << 20

// errBrokenOff is the cause of a stream's end that is no message's.
var errBrokenOff = errors.New("the stream broke off")

// StreamMessage is a message of a stream of calls.
type StreamMessage struct {
	ID    string
	Event string // such as status, transcript, agent_changed or ended
	Data  json.RawMessage
}

// StreamError is an error that the server sent in a stream, which it ends.
type StreamError struct{ Message string }

func (e *StreamError) Error() string { return e.Message }

// Stream yields the messages of a call until it has ended. A stream that breaks off, or is silent for 30 seconds, is continued
// after the last message, and retried as requests are. The error, a *StreamError or an *Error among others, is the last.
func (s Calls) Stream(ctx context.Context, id string) iter.Seq2[StreamMessage, error] {
	return s.c.stream(ctx, "/api/v1/sse/calls/"+segment(id)+"/stream")
}

// StreamAll yields what happens in all calls, until the context ends; otherwise it is as Stream.
func (s Calls) StreamAll(ctx context.Context) iter.Seq2[StreamMessage, error] {
	return s.c.stream(ctx, "/api/v1/sse/calls/stream")
}

func (c *Client) stream(ctx context.Context, path string) iter.Seq2[StreamMessage, error] {
	return func(yield func(StreamMessage, error) bool) {
		r := request{method: http.MethodGet, path: path}
		for attempt := 1; ; attempt++ {
			over, err := c.follow(ctx, r, func(m StreamMessage) (more bool) {
				attempt = 0
				if m.ID != "" {
					r.lastEvent = m.ID
				}
				return m.Event == "heartbeat" || yield(m, nil)
			})
			if over {
				return
			}
			if err := c.backOff(ctx, r, max(1, attempt), err); err != nil {
				yield(StreamMessage{}, fmt.Errorf("GET %s: %w", path, err))
				return
			}
		}
	}
}

// follow receives the messages of one connection. It is over when receive wants no more, and after the message that the call has
// ended; otherwise there is an error.
func (c *Client) follow(ctx context.Context, r request, receive func(StreamMessage) (more bool)) (over bool, err error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(silenceMax, cancel)
	defer silence.Stop()
	lasting := *c.http
	lasting.Timeout = 0
	answer, err := c.open(limited, &lasting, r, nil)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	for m, err := range messages(answer.Body) {
		if err != nil {
			return false, errors.Join(errBrokenOff, err)
		}
		silence.Reset(silenceMax)
		if m.Event == "error" {
			e := new(StreamError)
			_ = json.Unmarshal(m.Data, e) // without a message it is empty
			return false, e
		}
		if !receive(m) || m.Event == "ended" {
			return true, nil
		}
	}
	return false, errBrokenOff
}

// messages decodes server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). One that is incomplete at
// the end is left out.
func messages(body io.Reader) iter.Seq2[StreamMessage, error] {
	return func(yield func(StreamMessage, error) bool) {
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, messageMax)
		var m StreamMessage
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "id":
				m.ID = value
			case "event":
				m.Event = value
			case "data":
				m.Data = json.RawMessage(value)
			case "":
				if lines.Text() == "" && m.Data != nil && !yield(m, nil) {
					return
				}
				m = StreamMessage{}
			}
		}
		if err := lines.Err(); err != nil {
			yield(StreamMessage{}, err)
		}
	}
}
