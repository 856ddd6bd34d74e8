package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

const (
	userAgent = "Parley/1.0"
	// drainTimeout is the limit of the wait for the end of a complete answer, so that its connection can be reused. It
	// usually has arrived.
	drainTimeout = 200 * time.Millisecond
	// maxDrained limits the bytes read of an error body, and after a complete answer.
	maxDrained = 64 << 10
)

// Exchange is a request to a vendor with its streamed response.
type Exchange struct {
	ctx      context.Context // the request's; end cancels it
	cancel   context.CancelFunc
	client   *http.Client
	key      string         // never shown in errors
	response *http.Response // with status 200, nil before
	status   int            // of the answer, 0 before
	complete bool
	done     bool // the stream ended with its mark
	last     rune // of the answer's text that is no space, quote or bracket; 0 for none
}

// Account is what requests are made with.
type Account struct {
	Key string // never in errors
	// Client sends the requests; nil for the process's own.
	Client *http.Client
}

// begin starts an exchange; end must be called. Errors never contain the key.
func begin(ctx context.Context, a Account) *Exchange {
	x := &Exchange{client: client, key: a.Key}
	if a.Client != nil {
		x.client = a.Client
	}
	x.ctx, x.cancel = context.WithCancel(ctx)
	return x
}

// JSON encodes a request without escaping <, > and &.
func JSON(request any) ([]byte, error) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	err := e.Encode(request)
	return bytes.TrimSuffix(body.Bytes(), []byte("\n")), err
}

// Post sends a JSON request and returns when the response starts. A status other than 200 is an error,
// dialogue.ErrRefused if a retry is useless.
func (x *Exchange) Post(address string, header http.Header, body []byte) error {
	return x.send(http.MethodPost, address, header, body)
}

func (x *Exchange) send(method, address string, header http.Header, body []byte) error {
	r, err := http.NewRequestWithContext(x.ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Accept", "application/json") // for streams too, as the vendors' SDKs do
	r.Header.Set("User-Agent", userAgent)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := x.client.Do(r)
	if err != nil {
		return err
	}
	x.status = res.StatusCode
	if res.StatusCode == http.StatusOK {
		x.response = res
		return nil
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, maxDrained))
	return x.statusError(res.StatusCode, text)
}

// Check sends a GET request to verify the key, as in dialogue.Checker, and thereby opens the connection. Only
// status 401 fails: a valid key may lack permission for this endpoint, and compatible servers may not have it.
func Check(ctx context.Context, a Account, address string, header http.Header) error {
	x := begin(ctx, a)
	defer x.end()
	err := x.send(http.MethodGet, address, header, nil)
	if x.status == http.StatusUnauthorized {
		return err
	}
	if err == nil {
		_, err := io.Copy(io.Discard, io.LimitReader(x.response.Body, maxDrained))
		x.complete = err == nil
	}
	return nil
}

// Answer returns the events of the response to a Post, decoded from JSON. An error is the last item: the
// connection's, or the vendor's in the stream. Unknown fields, and fields of another type than T's, are ignored. A server that does not
// stream answers with one JSON value, or several, in place of events.
func Answer[T any](x *Exchange) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		items := Events(x.response.Body)
		if kind := x.mediaType(); kind == "application/json" || kind == "application/x-ndjson" || kind == "application/jsonl" {
			items = jsonValues(x.response.Body, maxEvent)
		}
		for event, err := range items {
			var decoded T
			if err == nil && event.Done {
				x.done = true
				return
			}
			if err == nil && reportsError(event) {
				yield(decoded, x.streamError(event.Data))
				return
			}
			if err == nil {
				err = decode(event.Data, &decoded)
			}
			if err != nil {
				yield(decoded, x.brokenOff(err))
				return
			}
			if !yield(decoded, nil) {
				return
			}
		}
	}
}

// brokenOff returns the error of an answer whose stream ended with err. It is dialogue.ErrUnfinished where the server closed the
// connection after text of an answer.
func (x *Exchange) brokenOff(err error) error {
	if x.last != 0 && errors.Is(err, io.ErrUnexpectedEOF) {
		return dialogue.ErrorOf(dialogue.ErrUnfinished, "the answer broke off: the connection was closed before the end")
	}
	return dialogue.Wrap("the answer broke off", err)
}

// decode is like json.Unmarshal, ignoring fields of another type than into's.
func decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if mistyped := new(json.UnmarshalTypeError); errors.As(err, &mistyped) && mistyped.Field != "" {
		return nil
	}
	return err
}

// Complete marks the answer as complete.
func (x *Exchange) Complete() { x.complete = true }

// EndUnmarked handles the end of a stream in which the model did not mark its answer as complete, as some servers never do. Such an
// answer is complete after the stream's own mark, a whole sentence, or calls with whole arguments. Otherwise an error is returned, which
// is dialogue.ErrUnfinished if there was an answer.
func (x *Exchange) EndUnmarked(calls *Calls) error {
	isSentence := calls.Len() == 0 && unicode.Is(unicode.Sentence_Terminal, x.last)
	switch kind := x.mediaType(); {
	case x.done, isSentence, calls.AreWhole():
		x.Complete()
		return nil
	case x.last == 0 && calls.Len() == 0 && kind != "text/event-stream":
		return vendorerror.Unexpected("the answer is no event stream: is the base URL right?", kind)
	case x.last == 0:
		return dialogue.NewError("the answer broke off")
	}
	return dialogue.ErrorOf(dialogue.ErrUnfinished, "the answer broke off")
}

func (x *Exchange) mediaType() string {
	kind, _, _ := mime.ParseMediaType(x.response.Header.Get("Content-Type"))
	return kind
}

// recordText records text of the answer, for EndUnmarked.
func (x *Exchange) recordText(text string) {
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Quotation_Mark, unicode.Pe, unicode.Pf) || r == '*' || r == '_'
	})
	if r, _ := utf8.DecodeLastRuneInString(text); text != "" {
		x.last = r
	}
}

// end releases the exchange. The connection of a complete answer is reused; any other is closed, which stops the
// vendor.
func (x *Exchange) end() {
	defer x.cancel()
	if x.response == nil {
		return
	}
	// Over HTTP/2 only the stream ends with its body.
	if x.complete && x.response.ProtoMajor < 2 {
		giveUp := time.AfterFunc(drainTimeout, x.cancel)
		_, _ = io.Copy(io.Discard, io.LimitReader(x.response.Body, maxDrained))
		giveUp.Stop()
	}
	if !x.complete {
		x.cancel() // Close alone would wait for a dead HTTP/2 connection
	}
	x.response.Body.Close()
}
