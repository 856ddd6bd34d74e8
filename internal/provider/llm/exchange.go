package llm

import (
	"context"
	"io"
	"net/http"
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
		io.Copy(io.Discard, io.LimitReader(x.response.Body, 64<<10))
		giveUp.Stop()
	}
	if !x.complete {
		x.cancel()
	}
	x.response.Body.Close()
}

// Answered tells whether an answer began to stream.
func (x *Exchange) Answered() bool { return x.response != nil }
