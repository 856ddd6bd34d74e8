package sip

import (
	"context"
	"testing"

	"github.com/livekit/protocol/logger"
	lksip "github.com/livekit/sip/pkg/sip"
)

// A call that closes while its room is joined, or just after, ends neither the process nor stays in the room.
func TestRoomClosedAsItIsJoined(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	o := options()
	name := newRoom(t)
	connect := func(r *lksip.Room) error {
		return r.Connect(t.Context(), o.config(g.Port()), lksip.RoomConfig{WsUrl: o.MediaURL, RoomName: name, Participant: lksip.ParticipantConfig{Identity: "phone"}})
	}
	method := func(context.Context, []byte) ([]byte, error) { return nil, nil }

	after := lksip.NewRoom(logger.GetDiscardLogger(), nil)
	if err := connect(after); err != nil {
		t.Fatal(err)
	}
	if err := after.Close(); err != nil {
		t.Error(err)
	}
	_ = after.RegisterRpcCtxMethod("method", method)
	if track, err := after.NewParticipantTrack(48_000); err == nil {
		track.Close()
	}

	before := lksip.NewRoom(logger.GetDiscardLogger(), nil)
	if err := before.Close(); err != nil {
		t.Error(err)
	}
	if err := connect(before); err == nil {
		t.Error("a call that has closed joins a room")
	}
	await(t, "nobody is in the room", func() bool {
		there, err := rooms().Participants(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return len(there) == 0
	})
}
