package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley/internal/call"
	"parley/internal/media"
	"parley/internal/sip"
)

// The phone is sent the tones one after the other, and transferred by its name in the room.
func TestLeg(t *testing.T) {
	ctx := t.Context()
	rooms := media.NewRooms(server.URL(), tokens.Key, tokens.Secret)
	const room = "leg"
	if err := rooms.Create(ctx, room, media.RoomOptions{EmptyTimeout: time.Minute, DepartureTimeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rooms.Delete(context.Background(), room); err != nil {
			t.Error(err)
		}
	}()
	token, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := joiner.Join(ctx, media.JoinOptions{URL: server.URL(), Token: token, Agent: true, Data: true})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Leave()
	tones := make(chan string, 10)
	phone, err := lksdk.ConnectToRoom(server.URL(), lksdk.ConnectInfo{APIKey: tokens.Key, APISecret: tokens.Secret, RoomName: room, ParticipantIdentity: sip.PhoneIdentity("1")},
		&lksdk.RoomCallback{ParticipantCallback: lksdk.ParticipantCallback{OnDataPacket: func(data lksdk.DataPacket, _ lksdk.DataReceiveParams) {
			if tone, ok := data.(*livekit.SipDTMF); ok {
				tones <- tone.Digit + " " + string(rune('a'+tone.Code))
			}
		}}})
	if err != nil {
		t.Fatal(err)
	}
	defer phone.Disconnect()
	for e := range agent.Events() {
		if e.Kind == media.PeerJoined {
			break
		}
	}
	net := new(network)
	var barred error
	var recorded []call.IncidentType
	l := leg{&session{call: &call.Call{RoomName: room}, w: &Worker{options: Options{Phones: net, CheckDial: func(context.Context, string, string) error { return barred },
		RecordTransfer: func(_ context.Context, _, _ string, outcome call.IncidentType) error {
			recorded = append(recorded, outcome)
			return nil
		}}}}, &line{participant: agent}}
	began := time.Now()
	if err := l.SendDTMF(ctx, "1w#D"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 4*toneTime {
		t.Errorf("three tones and a wait took %v", took)
	}
	for _, want := range []string{"1 b", "# l", "D p"} {
		select {
		case got := <-tones:
			if got != want {
				t.Errorf("tone %q, want %q", got, want)
			}
		case <-time.After(testTimeout):
			t.Fatalf("tone %q did not come", want)
		}
	}
	if err := l.SendDTMF(ctx, "x"); err == nil || !strings.Contains(err.Error(), "1 of 1") {
		t.Errorf("a key that no phone has: %v", err)
	}
	if err := l.Transfer(ctx, number); err != nil || !slices.Equal(net.transfers, []string{room + " phone-1 " + number}) {
		t.Errorf("transferred %q, %v", net.transfers, err)
	}
	barred = errors.New("not for this tenant")
	if err := l.Transfer(ctx, number); !errors.Is(err, barred) || len(net.transfers) != 1 {
		t.Errorf("a number that the tenant may not dial: %v, %q", err, net.transfers)
	}
	if !slices.Equal(recorded, []call.IncidentType{call.TransferRequested, call.TransferCompleted}) {
		t.Errorf("the timeline has %q", recorded)
	}
}
