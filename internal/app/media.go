package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/internal/call"
	"parley/internal/config"
	"parley/internal/media"
)

// embeddedKey is the name of the embedded media server's API key, whose secret is in the data folder.
const embeddedKey = "parley"

// emptyRoom is added to the join timeout as the time that a room may be empty.
const emptyRoom = 20 * time.Second

const (
	// arrivalTimeout bounds recording a caller's arrival, during which the caller waits.
	arrivalTimeout = 2 * time.Second
	// departureTimeout bounds recording the departure of a waiting caller.
	departureTimeout = 5 * time.Second
)

// mediaServer is the LiveKit server for calls, embedded or outside.
type mediaServer struct {
	url    string // as this process reaches it
	public string // as callers reach it
	tokens media.Tokens
	rooms  *media.Rooms
	join   time.Duration // timeout of callers
	// own reports that the server is the embedded one. Its rooms are created on demand, when the agent or a caller
	// is about to join: empty rooms of thousands of waiting calls would each cost a goroutine with timers.
	own bool
	// relay forwards media that arrive at the HTTP listener, on the ports that callers reach it at; the zero value
	// when media have no TCP port.
	relay media.TCPRelay
	ports []int
}

// embed makes the embedded server the one that this process reaches.
func (m *mediaServer) embed(server *media.Embedded) {
	m.url = server.URL()
	m.rooms = media.NewRooms(m.url, m.tokens.Key, m.tokens.Secret)
}

// relayMedia has the embedded server receive media over the HTTP listener as well.
func (m *mediaServer) relayMedia(server *media.Embedded, listener net.Addr, public int) {
	relay, open := server.Relay()
	if !open {
		return
	}
	m.relay, m.ports = relay, []int{public}
	if tcp, ok := listener.(*net.TCPAddr); ok && tcp.Port != public {
		m.ports = []int{tcp.Port, public}
	}
}

// relayed returns the handler of media connections at the HTTP listener; nil for none.
func (m *mediaServer) relayed() func(*net.TCPConn, []byte) {
	if m.ports == nil {
		return nil
	}
	return m.relay.Serve
}

// filter returns the filter of the media server's messages to a caller who joins.
func (m *mediaServer) filter(r *http.Request) media.ResponseFilter {
	filters := []media.ResponseFilter{media.ShortenPings}
	if m.ports != nil {
		filters = append(filters, m.relay.Advertise(m.ports))
	}
	if media.SendsInSilence(r) {
		filters = append(filters, media.ResumeOnRequest())
	}
	return media.ChainFilters(filters...)
}

// joiner joins the agents of this process to rooms.
func (m *mediaServer) joiner(log *slog.Logger) *media.Joiner {
	if m.own {
		return media.NewEmbeddedJoiner(log)
	}
	return media.NewJoiner(log)
}

func newMediaServer(c config.Server, secrets config.Secrets) *mediaServer {
	m := &mediaServer{join: c.JoinTimeout}
	if c.LiveKitURL != "" {
		m.url, m.public = c.LiveKitURL, websocket(c.LiveKitURL)
		if c.ProxySignalling {
			m.public = websocket(c.Public())
		}
		m.tokens = media.Tokens{Key: c.LiveKitAPIKey, Secret: c.LiveKitAPISecret}
	} else {
		m.own = true
		m.url, m.public = embeddedURL(c), websocket(c.Public())
		m.tokens = media.Tokens{Key: embeddedKey, Secret: secrets.LiveKit}
	}
	m.rooms = media.NewRooms(m.url, m.tokens.Key, m.tokens.Secret)
	return m
}

// embeddedURL returns the local URL of the server in this process.
func embeddedURL(c config.Server) string { return fmt.Sprintf("ws://127.0.0.1:%d", c.RTCPort) }

// websocket converts http to ws and https to wss.
func websocket(url string) string {
	if rest, ok := strings.CutPrefix(url, "http"); ok {
		return "ws" + rest
	}
	return url
}

// embeddedOptions returns the options of the server in this process, without its secret.
func embeddedOptions(c config.Server) (media.EmbeddedOptions, error) {
	ip, err := c.NodeIP()
	return media.EmbeddedOptions{
		Port: c.RTCPort, TCPPort: c.RTCTCPPort, UDPPort: c.RTCUDPPort, LoopbackOnly: c.Loopback(), NodeIP: ip,
		Key: embeddedKey, Logger: c.Logger(),
	}, err
}

// Open creates a dispatched call's room, unless rooms are created on demand.
func (m *mediaServer) Open(ctx context.Context, room string) error {
	if m.own {
		return nil
	}
	return m.make(ctx, room)
}

func (m *mediaServer) make(ctx context.Context, room string) error {
	return m.rooms.Create(ctx, room, media.CallRoom(m.join+emptyRoom, emptyRoom))
}

// createOnDemand creates a room that a caller is about to join. If the call ends meanwhile, the room is deleted, because
// the end could not delete it before it was created.
func (m *mediaServer) createOnDemand(ctx context.Context, calls *call.Service, room string) error {
	if err := m.make(ctx, room); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, arrivalTimeout)
	defer cancel()
	if over, err := calls.RoomEnded(limited, room); err != nil || !over {
		return nil // a database error ends no call
	}
	if err := m.Delete(ctx, room); err != nil {
		return err
	}
	return media.ErrCallEnded
}

// Delete deletes a call's room.
func (m *mediaServer) Delete(ctx context.Context, room string) error {
	return m.rooms.Delete(ctx, room)
}

// Own reports whether the server's rooms all belong to this installation.
func (m *mediaServer) Own() bool { return m.own }

// List returns the existing rooms.
func (m *mediaServer) List(ctx context.Context) ([]call.Room, error) {
	there, err := m.rooms.List(ctx)
	if err != nil {
		return nil, err
	}
	rooms := make([]call.Room, len(there))
	for i, r := range there {
		rooms[i] = call.Room{Name: r.Name, Created: r.Created, Occupied: r.Participants > 0}
	}
	return rooms, nil
}

// Caller reports whether a caller is in a room.
func (m *mediaServer) Caller(ctx context.Context, room string) (bool, error) {
	members, err := m.rooms.Participants(ctx, room)
	return slices.ContainsFunc(members, func(p media.Member) bool { return !p.Agent && !media.IsAside(p.Identity) }), err
}

// CallerToken returns a caller's join token.
func (m *mediaServer) CallerToken(room, identity string, now time.Time, life time.Duration) (string, error) {
	return m.tokens.Caller(room, identity, now, life)
}

// ListenerToken returns the join token of somebody who listens.
func (m *mediaServer) ListenerToken(room, identity string, now time.Time, life time.Duration) (string, error) {
	return m.tokens.Listener(room, identity, now, life)
}

// URL returns the URL at which callers join.
func (m *mediaServer) URL() string { return m.public }

// signalling returns the constructor of the handler that forwards /rtc to the server.
func (m *mediaServer) signalling(calls *call.Service, log *slog.Logger) func(refuse func(http.ResponseWriter, *http.Request, error)) (http.Handler, error) {
	arrives := func(ctx context.Context, room string) (left func(), err error) {
		limited, cancel := context.WithTimeout(ctx, arrivalTimeout)
		arrival, going, err := calls.MarkArrived(limited, room)
		cancel()
		if err != nil {
			log.WarnContext(ctx, "failed to record a caller's arrival", "room", room, "error", err)
		}
		left = func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), departureTimeout)
			defer cancel()
			if err := calls.MarkDeparted(ctx, arrival); err != nil {
				log.WarnContext(ctx, "failed to record a caller's departure", "room", room, "error", err)
			}
		}
		switch {
		case err != nil && !going:
			return left, nil // the database is unreachable: the server knows whether the room exists
		case !going:
			return left, media.ErrCallEnded
		}
		if err = m.createOnDemand(ctx, calls, room); err != nil && !errors.Is(err, media.ErrCallEnded) && ctx.Err() == nil {
			log.WarnContext(ctx, "failed to create a room for a caller", "room", room, "error", err)
		}
		return left, err
	}
	if !m.own {
		arrives = nil
	}
	return func(refuse func(http.ResponseWriter, *http.Request, error)) (http.Handler, error) {
		proxy, err := media.Proxy(m.url, m.tokens, arrives, m.filter, refuse)
		if err != nil {
			return nil, err
		}
		return media.Guard(m.tokens, proxy, refuse), nil
	}
}
