package media

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/livekit/protocol/livekit"
)

// What a participant makes of what the server tells of the others in the room.
func TestComingAndGoing(t *testing.T) {
	who := func(sid, identity string, kind livekit.ParticipantInfo_Kind) *livekit.ParticipantInfo {
		return &livekit.ParticipantInfo{Sid: sid, Identity: identity, Kind: kind, State: livekit.ParticipantInfo_ACTIVE}
	}
	caller := func(sid string) *livekit.ParticipantInfo { return who(sid, "caller", livekit.ParticipantInfo_STANDARD) }
	gone := func(sid string, why livekit.DisconnectReason) *livekit.ParticipantInfo {
		info := caller(sid)
		info.State, info.DisconnectReason = livekit.ParticipantInfo_DISCONNECTED, why
		return info
	}
	for name, tc := range map[string]struct {
		updates []*livekit.ParticipantInfo
		events  []Event
	}{
		"nobody": {},
		"itself, another agent and a recorder": {updates: []*livekit.ParticipantInfo{
			who("PA_0", "agent", livekit.ParticipantInfo_AGENT), who("PA_1", "other", livekit.ParticipantInfo_AGENT), who("PA_2", "egress", livekit.ParticipantInfo_EGRESS),
		}},
		"told of twice": {updates: []*livekit.ParticipantInfo{caller("PA_1"), caller("PA_1")}, events: []Event{{Kind: PeerJoined, Identity: "caller"}}},
		"hangs up": {
			updates: []*livekit.ParticipantInfo{caller("PA_1"), gone("PA_1", livekit.DisconnectReason_CLIENT_INITIATED)},
			events:  []Event{{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerLeft, Identity: "caller", HungUp: true, Reason: "CLIENT_INITIATED"}},
		},
		"is lost, and calls again": {
			updates: []*livekit.ParticipantInfo{caller("PA_1"), gone("PA_1", livekit.DisconnectReason_CONNECTION_TIMEOUT), caller("PA_2")},
			events: []Event{
				{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerLeft, Identity: "caller", Reason: "CONNECTION_TIMEOUT"}, {Kind: PeerJoined, Identity: "caller"},
			},
		},
		"comes back before their leaving was noticed": {
			updates: []*livekit.ParticipantInfo{caller("PA_1"), gone("PA_1", livekit.DisconnectReason_DUPLICATE_IDENTITY), caller("PA_2")},
			events:  []Event{{Kind: PeerJoined, Identity: "caller"}},
		},
		"comes back so, and hangs up": {
			updates: []*livekit.ParticipantInfo{
				caller("PA_1"), caller("PA_2"), gone("PA_2", livekit.DisconnectReason_CLIENT_INITIATED),
			},
			events: []Event{{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerLeft, Identity: "caller", HungUp: true, Reason: "CLIENT_INITIATED"}},
		},
		"an old session's end is told of late": {
			updates: []*livekit.ParticipantInfo{caller("PA_1"), caller("PA_2"), gone("PA_1", livekit.DisconnectReason_CONNECTION_TIMEOUT)},
			events:  []Event{{Kind: PeerJoined, Identity: "caller"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := newParticipant(JoinOptions{Agent: true}, joiner)
			if err != nil {
				t.Fatal(err)
			}
			p.entered(&livekit.JoinResponse{Participant: who("PA_0", "agent", livekit.ParticipantInfo_AGENT)})
			for _, info := range tc.updates {
				p.heed(&livekit.SignalResponse{Message: &livekit.SignalResponse_Update{
					Update: &livekit.ParticipantUpdate{Participants: []*livekit.ParticipantInfo{info}},
				}})
			}
			p.abandon()
			if got := slices.Collect(seq(p.Events())); !slices.Equal(got, tc.events) {
				t.Errorf("events %+v, want %+v", got, tc.events)
			}
		})
	}
}

// While a participant is away itself, nobody has left before it is back and has looked around.
func TestBackInTheRoom(t *testing.T) {
	who := func(sid, identity string) *livekit.ParticipantInfo {
		return &livekit.ParticipantInfo{Sid: sid, Identity: identity, State: livekit.ParticipantInfo_ACTIVE}
	}
	joined := Event{Kind: PeerJoined, Identity: "caller"}
	for name, tc := range map[string]struct {
		there  []*livekit.ParticipantInfo
		events []Event
	}{
		"still there":                   {[]*livekit.ParticipantInfo{who("PA_1", "caller")}, []Event{joined}},
		"there again":                   {[]*livekit.ParticipantInfo{who("PA_2", "caller")}, []Event{joined}},
		"gone":                          {nil, []Event{joined, {Kind: PeerLeft}}},
		"gone, and somebody else there": {[]*livekit.ParticipantInfo{who("PA_3", "next")}, []Event{joined, {Kind: PeerLeft}, {Kind: PeerJoined, Identity: "next"}}},
	} {
		for _, anew := range []bool{false, true} {
			left := Event{Kind: PeerLeft, Identity: "caller", HungUp: true, Reason: "CLIENT_INITIATED"}
			if anew { // nobody told how
				left.HungUp, left.Reason = false, "UNKNOWN_REASON"
			}
			want := slices.Clone(tc.events)
			for i, e := range want {
				if e.Kind == PeerLeft {
					want[i] = left
				}
			}
			t.Run(fmt.Sprintf("%s, new session %t", name, anew), func(t *testing.T) {
				p, err := newParticipant(JoinOptions{Agent: true}, joiner)
				if err != nil {
					t.Fatal(err)
				}
				self := who("PA_0", "agent")
				p.entered(&livekit.JoinResponse{Participant: self, OtherParticipants: []*livekit.ParticipantInfo{who("PA_1", "caller")}})
				p.reconnecting = true
				if anew {
					p.entered(&livekit.JoinResponse{Participant: self, OtherParticipants: tc.there})
				} else {
					gone := who("PA_1", "caller")
					gone.State, gone.DisconnectReason = livekit.ParticipantInfo_DISCONNECTED, livekit.DisconnectReason_CLIENT_INITIATED
					for _, info := range append([]*livekit.ParticipantInfo{gone}, tc.there...) {
						p.heed(&livekit.SignalResponse{Message: &livekit.SignalResponse_Update{
							Update: &livekit.ParticipantUpdate{Participants: []*livekit.ParticipantInfo{info}},
						}})
					}
				}
				p.mu.Lock()
				p.lookAround()
				p.mu.Unlock()
				p.abandon()
				if got := slices.Collect(seq(p.Events())); !slices.Equal(got, want) {
					t.Errorf("events %+v, want %+v", got, want)
				}
			})
		}
	}
}

func seq[T any](c <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range c {
			if !yield(v) {
				return
			}
		}
	}
}
