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

// signalPaths lists LiveKit's paths for participants: the WebSockets of client protocol v0 and v1, and the
// validation of a failed join. The server's administration API, on the same port, is not reachable through the
// proxy.
var signalPaths = map[string]bool{"/rtc": true, "/rtc/validate": true, "/rtc/v1": true, "/rtc/v1/validate": true}

// joinPaths lists the paths among them that join a room.
var joinPaths = map[string]bool{"/rtc": true, "/rtc/v1": true}

// ErrorWriter responds to a request with an error of package fault.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, err error)

var (
	errNoRoute = fault.New(fault.NotFound, "no such route")
	// ErrCallEnded rejects a client whose room is permanently closed.
	ErrCallEnded   = fault.New(fault.NotFound, "the call of this room has ended")
	errUnavailable = fault.New(fault.ServiceUnavailable, "the media server is not available")
)

// joinToken returns the token of a request, in the query because browsers cannot set headers on a WebSocket.
func joinToken(r *http.Request) string {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return bearer
	}
	return r.URL.Query().Get("access_token")
}

// Proxy forwards signalling, WebSockets included, to the media server at server (ws, wss, http or https), so that
// clients need to reach one port only. Mount it at /rtc and /rtc/. writeError responds to requests for other paths
// (not_found), to rooms that are joined too often (rate_limit_exceeded), and to requests to which the server does not respond
// (service_unavailable). The media server sets CORS headers itself. What clients send is bounded, see requestLimits.
//
// callerJoins is called with the room of each client that joins with a valid token, so that the room can be created; it
// may be nil. Its error ErrOver rejects the client permanently, any other error temporarily; left is called when
// the client has disconnected. filter returns the filter of the server's messages to a client that joins; it may be
// nil, or return nil.
func Proxy(server string, tokens Tokens, callerJoins func(ctx context.Context, room string) (left func(), err error), filter func(*http.Request) ResponseFilter, writeError ErrorWriter) (http.Handler, error) {
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
		return &delayedCloseConn{Conn: conn}, nil
	}
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
			r.Out.Header.Del("Sec-WebSocket-Extensions") // compression, with which messages cannot be bounded
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) { writeError(w, r, errUnavailable) },
		ModifyResponse: func(r *http.Response) error {
			wire, upgraded := r.Body.(io.ReadWriteCloser)
			if !upgraded {
				return nil
			}
			c := r.Request.Context().Value(clientKey{}).(client)
			var messages ResponseFilter
			if filter != nil {
				messages = filter(r.Request)
			}
			r.Body = newSignalConn(&serverConn{wire, c.left}, messages, c.limits)
			return nil
		},
	}
	limits := newRoomLimits()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !signalPaths[r.URL.Path] {
			writeError(w, r, errNoRoute)
			return
		}
		c := client{limits: newRequestLimits(), left: func() {}}
		room, err := tokens.room(joinToken(r))
		if err == nil && joinPaths[r.URL.Path] { // the media server reports what is wrong with a token
			c.limits = limits.of(room)
			if wait := c.limits.join(); wait > 0 {
				writeError(w, r, fault.Later(fault.RateLimitExceeded, wait, "the room is joined too often, try again later"))
				return
			}
			if callerJoins != nil {
				left, err := callerJoins(r.Context(), room)
				c.left = sync.OnceFunc(left)
				defer c.left()
				if err != nil {
					if !errors.Is(err, ErrCallEnded) {
						err = errUnavailable
					}
					writeError(w, r, err)
					return
				}
			}
		}
		proxy.ServeHTTP(clientWriter{w}, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
	}), nil
}

// client is a client whose request is forwarded.
type client struct {
	limits *requestLimits
	left   func() // to be called when it has disconnected
}

// clientKey is the context key of a request's client.
type clientKey struct{}

// serverConn is an upgraded connection to the media server. It calls ended when the server closes it, which happens
// when a participant is gone while the client may keep its end open.
type serverConn struct {
	io.ReadWriteCloser
	onEnd func()
}

func (w *serverConn) Read(p []byte) (int, error) {
	n, err := w.ReadWriteCloser.Read(p)
	if err != nil {
		w.onEnd()
	}
	return n, err
}

// delayedCloseConn delays the close of a client's connection by closeDelay. When the connection closes before
// LiveKit has processed the leave request (under load that takes more than 100 ms for one in ten), that is lost, and the others see the
// participant leave 20 seconds later, as after a lost connection. Browsers send a close frame directly after the
// leave request, others just close. To a wss server only the close is visible, because frames are encrypted above
// this layer.
type delayedCloseConn struct{ net.Conn }

const closeDelay = 500 * time.Millisecond

// closeFrame starts a browser's WebSocket close frame (RFC 6455, section 5.5.1): masked, with a status code of two
// bytes, eight bytes in all. Other data with the same two bytes is delayed too.
var closeFrame = []byte{0x88, 0x82}

const closeFrameLength = 8

func (c *delayedCloseConn) Write(p []byte) (int, error) {
	tail := len(p) - closeFrameLength
	if tail < 0 || !bytes.HasPrefix(p[tail:], closeFrame) {
		return c.Conn.Write(p)
	}
	n, err := c.Conn.Write(p[:tail])
	if err != nil {
		return n, err
	}
	time.Sleep(closeDelay)
	last, err := c.Conn.Write(p[tail:])
	return n + last, err
}

// Close returns immediately and closes after closeDelay.
func (c *delayedCloseConn) Close() error {
	time.AfterFunc(closeDelay, func() { _ = c.Conn.Close() })
	return nil
}
