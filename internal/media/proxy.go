package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"parley/internal/fault"
)

// signalling is every path of LiveKit's that a participant needs: the WebSocket of client protocol v0 and v1, and the
// question why a join was refused. The server's administration, which shares its port, stays inside.
var signalling = map[string]bool{"/rtc": true, "/rtc/validate": true, "/rtc/v1": true, "/rtc/v1/validate": true}

// joining are the paths among them by which a client enters a room.
var joining = map[string]bool{"/rtc": true, "/rtc/v1": true}

// Refuse answers a request with an error of the package fault.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

var (
	errNoRoute = fault.New(fault.NotFound, "no such route")
	// ErrOver refuses a client whose room is closed for good.
	ErrOver = fault.New(fault.NotFound, "the call of this room is over")
	errAway = fault.New(fault.ServiceUnavailable, "the media server is away")
)

// joinToken is what a client joins with: browsers cannot set headers on a WebSocket.
func joinToken(r *http.Request) string {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return bearer
	}
	return r.URL.Query().Get("access_token")
}

// Proxy carries signalling, WebSockets included, to the media server at server (ws, wss, http or https), so that
// clients need to reach one port only. Mount it at /rtc and /rtc/. refuse answers requests for other paths
// (not_found) and those that the server does not answer (service_unavailable). CORS headers are the media server's own.
//
// Before a client with a token of these tokens is let through to join, arrives is called with its room, so that the room
// can be made; nil where rooms are there before their clients. ErrOver turns a client away for good, any other error for it to
// come again later; what it returns is called when the client has gone.
func Proxy(server string, tokens Tokens, arrives func(ctx context.Context, room string) (left func(), err error), refuse Refuse) (http.Handler, error) {
	target, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("LIVEKIT_URL: %w", err)
	}
	switch target.Scheme {
	case "ws":
		target.Scheme = "http"
	case "wss":
		target.Scheme = "https"
	case "http", "https":
	default:
		return nil, fmt.Errorf("LIVEKIT_URL: %q is neither ws:// nor wss://", server)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &patientConn{Conn: conn}, nil
	}
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) { refuse(w, r, errAway) },
		ModifyResponse: func(r *http.Response) error {
			left, joins := r.Request.Context().Value(leaving{}).(func())
			if wire, upgraded := r.Body.(io.ReadWriteCloser); joins && upgraded {
				r.Body = &watchedWire{wire, left}
			}
			return nil
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !signalling[r.URL.Path] {
			refuse(w, r, errNoRoute)
			return
		}
		if arrives != nil && joining[r.URL.Path] {
			if room, err := tokens.room(joinToken(r)); err == nil { // the media server says what is wrong with a token
				left, err := arrives(r.Context(), room)
				left = sync.OnceFunc(left)
				defer left()
				r = r.WithContext(context.WithValue(r.Context(), leaving{}, left))
				if err != nil {
					if !errors.Is(err, ErrOver) {
						err = errAway
					}
					refuse(w, r, err)
					return
				}
			}
		}
		proxy.ServeHTTP(w, r)
	}), nil
}

// leaving is the key of what is to be called when a request's client has gone.
type leaving struct{}

// watchedWire is an upgraded connection to the media server that tells when the server has ended it: it does so when a
// participant is gone, and clients may then keep their end open.
type watchedWire struct {
	io.ReadWriteCloser
	ended func()
}

func (w *watchedWire) Read(p []byte) (int, error) {
	n, err := w.ReadWriteCloser.Read(p)
	if err != nil {
		w.ended()
	}
	return n, err
}

// patientConn keeps a client's goodbye and the end of its connection apart by farewellTime: when the connection closes
// before LiveKit has passed the goodbye on (one in sixty under load), that is lost, and the others in the room hear of
// the leaving 20 seconds later, as of a lost connection. Browsers send a close frame right behind the goodbye, others
// just hang up. To a wss server only the hanging up can be seen: the frames are encrypted above this.
type patientConn struct{ net.Conn }

const farewellTime = 100 * time.Millisecond

// closeFrame begins what a browser sends last (RFC 6455, section 5.5.1): masked, with a status code of two bytes,
// eight bytes in all. Where two bytes of other traffic look like it, that much is late.
var closeFrame = []byte{0x88, 0x82}

const closeFrameLength = 8

func (c *patientConn) Write(p []byte) (int, error) {
	tail := len(p) - closeFrameLength
	if tail < 0 || !bytes.HasPrefix(p[tail:], closeFrame) {
		return c.Conn.Write(p)
	}
	n, err := c.Conn.Write(p[:tail])
	if err != nil {
		return n, err
	}
	time.Sleep(farewellTime)
	last, err := c.Conn.Write(p[tail:])
	return n + last, err
}

// Close returns at once and closes a moment later.
func (c *patientConn) Close() error {
	time.AfterFunc(farewellTime, func() { _ = c.Conn.Close() })
	return nil
}
