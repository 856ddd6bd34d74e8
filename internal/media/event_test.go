package media

import (
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

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
			events:  []Event{{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerReturned, Identity: "caller"}},
		},
		"comes back so, and hangs up": {
			updates: []*livekit.ParticipantInfo{
				caller("PA_1"), caller("PA_2"), gone("PA_2", livekit.DisconnectReason_CLIENT_INITIATED),
			},
			events: []Event{
				{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerReturned, Identity: "caller"},
				{Kind: PeerLeft, Identity: "caller", HungUp: true, Reason: "CLIENT_INITIATED"},
			},
		},
		"an old session's end is told of late": {
			updates: []*livekit.ParticipantInfo{caller("PA_1"), caller("PA_2"), gone("PA_1", livekit.DisconnectReason_CONNECTION_TIMEOUT)},
			events:  []Event{{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerReturned, Identity: "caller"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := newParticipant(JoinOptions{Agent: true}, joiner)
			if err != nil {
				t.Fatal(err)
			}
			p.handleJoin(&livekit.JoinResponse{Participant: who("PA_0", "agent", livekit.ParticipantInfo_AGENT)})
			for _, info := range tc.updates {
				p.handleSignal(&livekit.SignalResponse{Message: &livekit.SignalResponse_Update{
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

// While a participant is away itself, nobody has left before it is back and has looked around. Who is missing then from the same
// room has left; who is missing from a room that was made in its place has some time to come.
func TestBackInTheRoom(t *testing.T) {
	who := func(sid, identity string) *livekit.ParticipantInfo {
		return &livekit.ParticipantInfo{Sid: sid, Identity: identity, State: livekit.ParticipantInfo_ACTIVE}
	}
	caller, again, next := who("PA_1", "caller"), who("PA_2", "caller"), who("PA_3", "next")
	gone := who("PA_1", "caller")
	gone.State, gone.DisconnectReason = livekit.ParticipantInfo_DISCONNECTED, livekit.DisconnectReason_CLIENT_INITIATED
	joined := Event{Kind: PeerJoined, Identity: "caller"}
	hungUp := Event{Kind: PeerLeft, Identity: "caller", HungUp: true, Reason: "CLIENT_INITIATED"}
	lost := Event{Kind: PeerLeft, Identity: "caller", Reason: "UNKNOWN_REASON"} // nobody told how
	returned := Event{Kind: PeerReturned, Identity: "caller"}
	another := Event{Kind: PeerReturned, Identity: "caller", RoomLost: true}
	nextJoined := Event{Kind: PeerJoined, Identity: "next"}
	type infos = []*livekit.ParticipantInfo
	for name, tc := range map[string]struct {
		room   string // that the participant enters anew, "" where it takes up its session
		there  infos  // who is in the room when it is back, or what is told once its session is taken up
		late   infos  // who comes half of peerReturn later
		events []Event
	}{
		"same session, still there":             {"", infos{caller}, nil, []Event{joined}},
		"same session, there again":             {"", infos{gone, again}, nil, []Event{joined, returned}},
		"same session, gone":                    {"", infos{gone}, nil, []Event{joined, hungUp}},
		"same session, gone, somebody else":     {"", infos{gone, next}, nil, []Event{joined, hungUp, nextJoined}},
		"same room, still there":                {"RM_1", infos{caller}, nil, []Event{joined}},
		"same room, there again":                {"RM_1", infos{again}, nil, []Event{joined, returned}},
		"same room, gone":                       {"RM_1", nil, nil, []Event{joined, lost}},
		"same room, gone, somebody else":        {"RM_1", infos{next}, nil, []Event{joined, lost, nextJoined}},
		"another room, there before":            {"RM_2", infos{again}, nil, []Event{joined, another}},
		"another room, comes later":             {"RM_2", nil, infos{again}, []Event{joined, another}},
		"another room, gone":                    {"RM_2", nil, nil, []Event{joined, lost}},
		"another room, gone, somebody else":     {"RM_2", infos{next}, nil, []Event{joined, lost, nextJoined}},
		"another room, gone, then somebody new": {"RM_2", nil, infos{next}, []Event{joined, lost, nextJoined}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := newParticipant(JoinOptions{Agent: true}, joiner)
				if err != nil {
					t.Fatal(err)
				}
				enter := func(room string, there infos) {
					p.handleJoin(&livekit.JoinResponse{Room: &livekit.Room{Sid: room}, Participant: who("PA_0", "agent"), OtherParticipants: there})
				}
				tell := func(told infos) {
					for _, info := range told {
						p.handleSignal(&livekit.SignalResponse{Message: &livekit.SignalResponse_Update{Update: &livekit.ParticipantUpdate{Participants: infos{info}}}})
					}
				}
				enter("RM_1", infos{caller})
				p.reconnecting = true
				if tc.room == "" {
					tell(tc.there)
				} else {
					enter(tc.room, tc.there)
				}
				p.mu.Lock()
				p.reconnecting = false
				p.refreshPeer()
				p.mu.Unlock()
				time.Sleep(peerReturn / 2)
				tell(tc.late)
				time.Sleep(peerReturn)
				p.abandon()
				if got := slices.Collect(seq(p.Events())); !slices.Equal(got, tc.events) {
					t.Errorf("events %+v, want %+v", got, tc.events)
				}
			})
		})
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
