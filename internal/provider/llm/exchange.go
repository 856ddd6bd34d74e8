package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// drainPatience is how long a complete answer's connection may take to say
// that it is complete. It usually has said so already.
const drainPatience = 200 * time.Millisecond

// Exchange is one request and the answer that streams back. Begin starts it,
// Middleware goes to the vendor's SDK, End is always called.
type Exchange struct {
	// Context is the request's; End cancels it.
	Context context.Context

	cancel   context.CancelFunc
	key      string
	response *http.Response
	status   int // of the answer, 0 before there is one
	complete bool
}

// Begin starts an exchange. The key is never shown in its errors.
func Begin(ctx context.Context, key string) *Exchange {
	x := &Exchange{key: key}
	x.Context, x.cancel = context.WithCancel(ctx)
	return x
}

// Middleware makes errors of refusals, before the SDK sees them: the SDKs lose
// the status of an answer that is not JSON, as proxies give it, and their
// errors show the whole of it. It also keeps the connection from the SDK, which
// would close it before the answer's last bytes are read.
func (x *Exchange) Middleware(r *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(r)
	if err != nil {
		return nil, err
	}
	x.status = res.StatusCode
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		return nil, x.Refusal(res.StatusCode, body)
	}
	x.response = res
	held := *res
	held.Body = io.NopCloser(res.Body)
	return &held, nil
}

// Check does a request whose only point is whether the vendor takes the key, as
// dialogue.Checker has it; the connection is warm for the first answer then.
// Any status but 401 says nothing about the key: a key may be barred from this
// request and good for answers, and servers that imitate the vendor may not
// have it at all.
func Check(ctx context.Context, key string, ask func(x *Exchange) error) error {
	x := Begin(ctx, key)
	defer x.End()
	err := ask(x)
	if err == nil {
		x.Complete()
	}
	if x.status == http.StatusUnauthorized {
		return err
	}
	return nil
}

// Complete notes that the whole answer came.
func (x *Exchange) Complete() { x.complete = true }

// End frees the exchange. The connection of a complete answer is kept for the
// next one, any other is closed at once, which tells the vendor to stop.
func (x *Exchange) End() {
	defer x.cancel()
	if x.response == nil {
		return
	}
	// Over HTTP/2 only the stream ends with its body.
	if x.complete && x.response.ProtoMajor < 2 {
		giveUp := time.AfterFunc(drainPatience, x.cancel)
		_, _ = io.Copy(io.Discard, io.LimitReader(x.response.Body, 64<<10))
		giveUp.Stop()
	}
	if !x.complete {
		x.cancel() // Close alone would wait for a dead HTTP/2 connection
	}
	x.response.Body.Close()
}

// Broken is the error of an answer that came to no end, for what the SDK says
// is the reason, if it has any.
func (x *Exchange) Broken(err error) error {
	if x.response == nil && err != nil {
		return err // there was no answer
	}
	if err != nil {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if kind := x.response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		return fmt.Errorf("the answer is no event stream but %q: is the base URL right?", kind)
	}
	return errors.New("the answer broke off")
}
