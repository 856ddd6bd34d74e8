package media

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/livekit/protocol/livekit"
)

// The events that a participant derives from the server's updates about others in the room.
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
	phone := func(status string, state livekit.ParticipantInfo_State) *livekit.ParticipantInfo {
		info := who("PA_3", "phone", livekit.ParticipantInfo_SIP)
		info.State, info.DisconnectReason, info.Attributes = state, livekit.DisconnectReason_CONNECTION_TIMEOUT, map[string]string{livekit.AttrSIPCallStatus: status}
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
		"reported twice": {updates: []*livekit.ParticipantInfo{caller("PA_1"), caller("PA_1")}, events: []Event{{Kind: PeerJoined, Identity: "caller"}}},
		"hangs up": {
			updates: []*livekit.ParticipantInfo{caller("PA_1"), gone("PA_1", livekit.DisconnectReason_CLIENT_INITIATED)},
			events:  []Event{{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerLeft, Identity: "caller", HungUp: true, Reason: "CLIENT_INITIATED"}},
		},
		"a phone hangs up, and its end is reported late": {
			updates: []*livekit.ParticipantInfo{phone("active", livekit.ParticipantInfo_ACTIVE), phone("hangup", livekit.ParticipantInfo_ACTIVE), phone("hangup", livekit.ParticipantInfo_DISCONNECTED)},
			events:  []Event{{Kind: PeerJoined, Identity: "phone"}, {Kind: PeerAnswered, Identity: "phone"}, {Kind: PeerLeft, Identity: "phone", HungUp: true, Reason: "CLIENT_INITIATED"}},
		},
		"a phone is answered and acknowledges it": {
			updates: []*livekit.ParticipantInfo{phone("ringing", livekit.ParticipantInfo_ACTIVE), phone("ringing", livekit.ParticipantInfo_ACTIVE), phone("active", livekit.ParticipantInfo_ACTIVE), phone("active", livekit.ParticipantInfo_ACTIVE)},
			events:  []Event{{Kind: PeerJoined, Identity: "phone"}, {Kind: PeerAnswered, Identity: "phone"}},
		},
		"a phone is answered and does not acknowledge it": {
			updates: []*livekit.ParticipantInfo{phone("ringing", livekit.ParticipantInfo_ACTIVE), phone("ringing", livekit.ParticipantInfo_DISCONNECTED)},
			events:  []Event{{Kind: PeerJoined, Identity: "phone"}, {Kind: PeerLeft, Identity: "phone", Reason: "CONNECTION_TIMEOUT"}},
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
		"is told by the server to begin a new session": {
			updates: []*livekit.ParticipantInfo{caller("PA_1"), gone("PA_1", livekit.DisconnectReason_STATE_MISMATCH), caller("PA_2")},
			events:  []Event{{Kind: PeerJoined, Identity: "caller"}, {Kind: PeerReturned, Identity: "caller"}},
		},
		"the end of an old session is reported late": {
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
			p.release()
			if got := slices.Collect(seq(p.Events())); !slices.Equal(got, tc.events) {
				t.Errorf("events %+v, want %+v", got, tc.events)
			}
		})
	}
}

// A room's deletion is reported to the agent by the caller's leaving or by its own removal, whichever comes first.
func TestRoomDeletedEvents(t *testing.T) {
	for _, tc := range []struct {
		event Event
		want  bool
	}{
		{Event{Kind: RoomClosed}, true},
		{Event{Kind: PeerLeft, Reason: "ROOM_DELETED"}, true},
		{Event{Kind: PeerLeft, Reason: "CLIENT_INITIATED", HungUp: true}, false},
		{Event{Kind: Disconnected, Reason: "SIGNAL_CLOSE"}, false},
	} {
		if got := tc.event.RoomDeleted(); got != tc.want {
			t.Errorf("%+v: %t", tc.event, got)
		}
	}
}

// While a participant reconnects, no peer counts as having left. Once it is back, a peer missing from the same room has left;
// a peer missing from a recreated room may rejoin within peerReturn, one missing from a room that another node of LiveKit
// continues within movedPeerReturn.
func TestBackInTheRoom(t *testing.T) {
	who := func(sid, identity string) *livekit.ParticipantInfo {
		return &livekit.ParticipantInfo{Sid: sid, Identity: identity, State: livekit.ParticipantInfo_ACTIVE}
	}
	caller, again, next := who("PA_1", "caller"), who("PA_2", "caller"), who("PA_3", "next")
	gone := who("PA_1", "caller")
	gone.State, gone.DisconnectReason = livekit.ParticipantInfo_DISCONNECTED, livekit.DisconnectReason_CLIENT_INITIATED
	sentBack := who("PA_1", "caller")
	sentBack.State, sentBack.DisconnectReason = livekit.ParticipantInfo_DISCONNECTED, livekit.DisconnectReason_STATE_MISMATCH
	joined := Event{Kind: PeerJoined, Identity: "caller"}
	hungUp := Event{Kind: PeerLeft, Identity: "caller", HungUp: true, Reason: "CLIENT_INITIATED"}
	lost := Event{Kind: PeerLeft, Identity: "caller", Reason: "UNKNOWN_REASON"} // without a reported reason
	returned := Event{Kind: PeerReturned, Identity: "caller"}
	another := Event{Kind: PeerReturned, Identity: "caller", RoomLost: true}
	nextJoined := Event{Kind: PeerJoined, Identity: "next"}
	type infos = []*livekit.ParticipantInfo
	for name, tc := range map[string]struct {
		room   string // that the participant joins again, and its node if it is another one; "" if it resumes its session
		there  infos  // the participants in the room when it is back, or the updates after the resumption
		late   infos  // who joins shortly before the limit
		events []Event
	}{
		"same session, still there":                          {"", infos{caller}, nil, []Event{joined}},
		"same session, there again":                          {"", infos{gone, again}, nil, []Event{joined, returned}},
		"same session, gone":                                 {"", infos{gone}, nil, []Event{joined, hungUp}},
		"same session, gone, somebody else":                  {"", infos{gone, next}, nil, []Event{joined, hungUp, nextJoined}},
		"same session, told to begin a new one, comes later": {"", infos{sentBack}, infos{again}, []Event{joined, returned}},
		"same session, told to begin a new one, gone":        {"", infos{sentBack}, nil, []Event{joined, {Kind: PeerLeft, Identity: "caller", Reason: "STATE_MISMATCH"}}},
		"same room, still there":                             {"RM_1", infos{caller}, nil, []Event{joined}},
		"same room, there again":                             {"RM_1", infos{again}, nil, []Event{joined, returned}},
		"same room, gone":                                    {"RM_1", nil, nil, []Event{joined, lost}},
		"same room, gone, somebody else":                     {"RM_1", infos{next}, nil, []Event{joined, lost, nextJoined}},
		"another room, there before":                         {"RM_2", infos{again}, nil, []Event{joined, another}},
		"another room, comes later":                          {"RM_2", nil, infos{again}, []Event{joined, another}},
		"another room, gone":                                 {"RM_2", nil, nil, []Event{joined, lost}},
		"another room, gone, somebody else":                  {"RM_2", infos{next}, nil, []Event{joined, lost, nextJoined}},
		"another room, gone, then somebody new":              {"RM_2", nil, infos{next}, []Event{joined, lost, nextJoined}},
		"same room on another node, there before":            {"RM_1 ND_2", infos{again}, nil, []Event{joined, another}},
		"same room on another node, comes later":             {"RM_1 ND_2", nil, infos{again}, []Event{joined, another}},
		"same room on another node, gone":                    {"RM_1 ND_2", nil, nil, []Event{joined, lost}},
		"same room on another node, gone, then somebody new": {"RM_1 ND_2", nil, infos{next}, []Event{joined, lost, nextJoined}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := newParticipant(JoinOptions{Agent: true}, joiner)
				if err != nil {
					t.Fatal(err)
				}
				enter := func(room string, there infos) {
					sid, node, moved := strings.Cut(room, " ")
					if !moved {
						node = "ND_1"
					}
					p.handleJoin(&livekit.JoinResponse{
						Room: &livekit.Room{Sid: sid}, Participant: who("PA_0", "agent"), OtherParticipants: there,
						ServerInfo: &livekit.ServerInfo{NodeId: node},
					})
				}
				update := func(changed infos) {
					for _, info := range changed {
						p.handleSignal(&livekit.SignalResponse{Message: &livekit.SignalResponse_Update{Update: &livekit.ParticipantUpdate{Participants: infos{info}}}})
					}
				}
				enter("RM_1", infos{caller})
				p.reconnecting = true
				if tc.room == "" {
					update(tc.there)
				} else {
					enter(tc.room, tc.there)
				}
				p.mu.Lock()
				p.reconnecting = false
				p.refreshPeer()
				p.mu.Unlock()
				limit := peerReturn
				if strings.HasPrefix(tc.room, "RM_1 ") {
					limit = movedPeerReturn
				}
				time.Sleep(limit - time.Millisecond)
				update(tc.late)
				time.Sleep(time.Second)
				p.release()
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
