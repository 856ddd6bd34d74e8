package media

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
)

// LiveKit notifies one process of everybody who joins a room that names it, callers but not agents, and of no other room.
func TestNotices(t *testing.T) {
	t.Parallel()
	type notice struct {
		room string
		who  Member
	}
	notices := make(chan notice, 8)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Notices(ctx, NoticesOptions{URL: server.URL(), Tokens: tokens, Agent: "parley-test", Log: slog.New(slog.DiscardHandler),
			Joined: func(room string, who Member) { notices <- notice{room, who} }})
	}()
	other, room := newRoom(t), newRoom(t)+"-noticed"
	enter(t, other, "nobody", false)
	// LiveKit remembers for a while which agents there are, so that rooms that are made right after the connection may have no notice.
	for seen := false; !seen; {
		if _, err := rooms().service.CreateRoom(t.Context(), &livekit.CreateRoomRequest{Name: room, EmptyTimeout: 60, Agents: []*livekit.RoomAgentDispatch{{AgentName: "parley-test"}}}); err != nil {
			t.Fatal(err)
		}
		enter(t, room, "agent", true)
		enter(t, room, "caller", false)
		select {
		case got := <-notices:
			if seen = true; got.room != room || got.who.Identity != "caller" || got.who.Agent || got.who.Phone {
				t.Errorf("notice of %+v", got)
			}
		case <-time.After(2 * time.Second):
		}
		if err := rooms().Delete(t.Context(), room); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	<-ended
	if len(notices) > 0 {
		t.Errorf("another notice: %+v", <-notices)
	}
}

// A LiveKit that is away is connected again and again, and one line says so.
func TestNoticesWithoutServer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), noticeRetry*5/2)
	defer cancel()
	Notices(ctx, NoticesOptions{URL: "ws://127.0.0.1:1", Tokens: tokens, Agent: "parley-test", Log: slog.New(slog.NewTextHandler(&log, nil))})
	if n := strings.Count(log.String(), "no notices of callers"); n != 1 {
		t.Errorf("%d lines, want 1:\n%s", n, log.String())
	}
}
