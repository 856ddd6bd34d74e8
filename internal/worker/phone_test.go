package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/media"
	"parley/internal/sip"
)

// A number that is not reached is dialled once, over the tenant's trunk and into the call's room. The call ends with the
// reason and the SIP status that the network gave, and the error log says why. The phone has left the room by then, as if
// whoever has it had hung up.
func TestNumbersThatAreNotReached(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		var s *session
		running := make(chan struct{}, 1) // holds a value when s is that of the call
		for _, tc := range []struct {
			dialErr sip.DialError
			reason  call.Reason
			status  string // in the event
		}{
			{sip.DialError{Cause: sip.Busy, Status: 486, Detail: "The line is busy."}, call.Busy, "486"},
			{sip.DialError{Cause: sip.Declined, Status: 603, Detail: "The call was declined."}, call.Declined, "603"},
			{sip.DialError{Cause: sip.InvalidNumber, Status: 404, Detail: "There is no such number."}, call.InvalidNumber, "404"},
			{sip.DialError{Cause: sip.RingTimeout, Detail: "Nobody answered."}, call.RingTimeout, "null"},
			{sip.DialError{Cause: sip.Unreachable, Status: 503, Detail: "The trunk is overloaded."}, call.Unreachable, "503"},
		} {
			h.net.answer = func(_ context.Context, d sip.DialRequest) error {
				<-running
				coming := errors.New("the phone has not come yet")
				s.phone.leave(coming)
				if p := phone(t, d.Room, d.Identity, "ringing"); p != nil {
					h.awaitPhone(s, "the phone is in the room", func(left error) bool { return left == nil })
					p.Leave()
					h.awaitPhone(s, "the phone has left the room", func(left error) bool { return left != nil })
				}
				return fmt.Errorf("dial: %w", &tc.dialErr)
			}
			before := len(h.net.dialled())
			c := h.call()
			var over func() *call.Call
			s, over = h.run(c)
			running <- struct{}{}
			h.ended(over(), call.Failed, tc.reason)
			want := []sip.DialRequest{{TenantID: c.TenantID, CallID: c.ID, Room: c.RoomName, Identity: sip.PhoneIdentity(c.ID), Number: number, Trunk: sip.OutboundRoute{Address: "trunk.example.com"},
				RingTimeout: ringTimeout, MaxDuration: time.Hour + overtime}}
			if diff := cmp.Diff(want, h.net.dialled()[before:]); diff != "" {
				t.Errorf("%s: dialled %s", tc.reason, diff)
			}
			if status := h.sipStatus(c.ID); status != tc.status {
				t.Errorf("%s: the event has status %s, want %s", tc.reason, status, tc.status)
			}
			if log := h.errorLog(c.ID); !slices.Equal(log, []string{"workflow error: " + tc.dialErr.Detail}) {
				t.Errorf("%s: error log %q", tc.reason, log)
			}
		}
	})
}

// phone waits for what a session knows of its phone.
func (h *fixture) awaitPhone(s *session, what string, known func(left error) bool) {
	h.t.Helper()
	for end := time.Now().Add(testTimeout); ; time.Sleep(5 * time.Millisecond) {
		s.phone.mu.Lock()
		left := s.phone.left
		s.phone.mu.Unlock()
		if known(left) {
			return
		}
		if time.Now().After(end) {
			h.t.Errorf("the session does not learn that %s", what)
			return
		}
	}
}

// sipStatus is the SIP status in the last event of a call.
func (h *fixture) sipStatus(id string) string {
	h.t.Helper()
	var data map[string]json.RawMessage
	if err := h.db.Tenant(acme).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		events, err := event.OfCall(ctx, tx, id)
		if err != nil {
			return err
		}
		return json.Unmarshal(events[len(events)-1].Data, &data)
	}); err != nil {
		h.t.Fatal(err)
	}
	return string(data["sip_status"])
}

func (h *fixture) errorLog(id string) []string {
	h.t.Helper()
	var items []call.ErrorItem
	if err := h.db.Tenant(acme).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(&items).Where("call_id = ?", id).OrderExpr("id").Scan(ctx)
	}); err != nil {
		h.t.Fatal(err)
	}
	var log []string
	for _, item := range items {
		log = append(log, item.Service+" "+item.Level+": "+item.Message)
	}
	return log
}

// The conversation starts when the phone answers, before it sends audio; hanging up ends the call.
func TestPhoneAnswered(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		answered := make(chan *media.Participant, 1)
		h.net.answer = func(_ context.Context, d sip.DialRequest) error {
			p := phone(t, d.Room, d.Identity, "active")
			answered <- p
			return nil
		}
		c := h.call()
		_, over := h.run(c)
		h.await(c.ID, call.Active)
		p := <-answered
		if p == nil {
			t.FailNow()
		}
		h.spoken(c.ID)
		p.Leave()
		h.ended(over(), call.Completed, call.CallerHangup)
	})
}

// A phone that leaves the room while it rings has not hung up: the dial's result is the reason. One that was answered has, even
// if its leaving is reported before the answer.
func TestDialState(t *testing.T) {
	hangUp := endCause{call.CallerHangup}
	for _, tc := range []struct {
		name   string
		apply  func(h *dialState)
		reason call.Reason
	}{
		{"answered", func(h *dialState) { h.join() }, ""},
		{"hung up immediately", func(h *dialState) { h.join(); h.leave(hangUp) }, call.CallerHangup},
		{"reconnected", func(h *dialState) { h.join(); h.leave(hangUp); h.join() }, ""},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := &session{cancel: cancel}
		s.phone.startRinging()
		tc.apply(&s.phone)
		joined := make(chan struct{})
		close(joined)
		if reason, err := s.awaitAnswered(ctx, joined); reason != tc.reason || err != nil || !s.phone.hasRung() {
			t.Errorf("%s: %q, %v; want %q", tc.name, reason, err, tc.reason)
		}
		cancel(nil)
		if s.phone.leave(hangUp) {
			t.Errorf("%s: it rings", tc.name)
		}
	}
	var h dialState
	if h.hasRung() {
		t.Error("it was not dialled yet")
	}
	if h.startRinging(); !h.leave(hangUp) {
		t.Error("it rings, and its leaving counts")
	}
}

// A call that ends while the number rings ends the ringing. A worker that drains lets it ring.
func TestRingingIsEnded(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		for _, tc := range []struct {
			name   string
			end    func(s *session)
			reason call.Reason
		}{
			{"by the API", func(s *session) { s.cancel(endCause{call.EndedByAPI}) }, call.EndedByAPI},
			{"by the server's end", func(s *session) { s.cancel(endCause{call.ServerShutdown}) }, call.ServerShutdown},
			{"with its room", func(s *session) {
				if err := h.rooms.Delete(t.Context(), s.call.RoomName); err != nil {
					t.Error(err)
				}
			}, call.ConnectionLost},
		} {
			rings, ended := make(chan context.Context, 1), make(chan struct{})
			h.net.answer = func(ctx context.Context, _ sip.DialRequest) error {
				defer close(ended)
				rings <- ctx
				<-ctx.Done()
				return ctx.Err()
			}
			c := h.call()
			s, over := h.run(c)
			var ringing context.Context
			select {
			case ringing = <-rings:
			case <-time.After(testTimeout):
				t.Fatalf("%s: it does not ring", tc.name)
			}
			h.await(c.ID, call.Connecting)
			h.w.sessions[c.ID] = s
			h.w.releaseWaiting()
			delete(h.w.sessions, c.ID)
			if ringing.Err() != nil {
				t.Errorf("%s: the worker drains, and the ringing is ended", tc.name)
			}
			tc.end(s)
			h.ended(over(), call.Failed, tc.reason)
			<-ended
			if status := h.sipStatus(c.ID); status != "" {
				t.Errorf("%s: the event has status %s", tc.name, status)
			}
		}
	})
}

// errUncertain is what a gateway answers that does not know what became of a
// dial.
var errUncertain = errors.New("no response from servers to sip:" + number + "@trunk.example.com")

// lookedAt counts how often somebody looks who is in a room.
type lookedAt struct {
	Rooms
	times atomic.Int64
}

func (r *lookedAt) Participants(ctx context.Context, room string) ([]media.Member, error) {
	defer r.times.Add(1)
	return r.Rooms.Participants(ctx, room)
}

// When a dial's result is unknown, the room decides; the number is not dialled again.
func TestUncertainDial(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		looks := &lookedAt{Rooms: h.rooms}
		h.w.options.Rooms = looks
		rings := make(chan *media.Participant, 1)
		h.net.answer = func(_ context.Context, d sip.DialRequest) error {
			rings <- phone(t, d.Room, d.Identity, "ringing")
			return errUncertain
		}
		c := h.call()
		_, over := h.run(c)
		p := <-rings
		if p == nil {
			t.FailNow()
		}
		for end := time.Now().Add(testTimeout); looks.times.Load() < 2; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nobody looks for the phone")
			}
		}
		h.await(c.ID, call.Connecting)
		if _, err := lksdk.NewRoomServiceClient(strings.Replace(server.URL(), "ws", "http", 1), tokens.Key, tokens.Secret).UpdateParticipant(t.Context(), &livekit.UpdateParticipantRequest{
			Room: c.RoomName, Identity: p.Identity(), Attributes: map[string]string{livekit.AttrSIPCallStatus: "active"},
		}); err != nil {
			t.Fatal(err)
		}
		h.await(c.ID, call.Active)
		p.Leave()
		h.ended(over(), call.Completed, call.CallerHangup)
		if dialled := h.net.dialled(); len(dialled) != 1 {
			t.Errorf("dialled %d times", len(dialled))
		}
	})
}

// A phone that is not in the room for a while after such a dial is not reached.
func TestUncertainDialWithoutAPhone(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		h.net.answer = func(context.Context, sip.DialRequest) error { return errUncertain }
		h.w.options.Rooms = noRooms{}
		c := h.call()
		s := newSession(h.w, c)
		s.journal = newJournal(s)
		began := time.Now()
		reason, err := s.dial(t.Context(), sip.OutboundRoute{})
		if took := time.Since(began); reason != call.Unreachable || err != nil || took < pollTimeout || took > pollTimeout+2*pollInterval {
			t.Errorf("%q, %v after %v, want %q after %v", reason, err, took, call.Unreachable, pollTimeout)
		}
		s.journal.close()
		if log := h.errorLog(c.ID); len(log) != 1 || strings.Contains(log[0], number) {
			t.Errorf("error log %q", log)
		}
		if dialled := h.net.dialled(); len(dialled) != 1 {
			t.Errorf("dialled %d times", len(dialled))
		}
	})
}

// After such a dial the media server may close the room, which the phone has left, while the phone is looked for: it is not reached
// either.
func TestUncertainDialInAClosedRoom(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		h.net.answer = func(context.Context, sip.DialRequest) error { return errUncertain }
		h.w.options.Rooms = noRooms{}
		s := newSession(h.w, h.call())
		s.journal = newJournal(s)
		defer s.journal.close()
		ctx, closeRoom := context.WithCancelCause(t.Context())
		time.AfterFunc(pollTimeout/2, func() { closeRoom(endCause{call.ConnectionLost}) })
		if reason, err := s.dial(ctx, sip.OutboundRoute{}); reason != call.Unreachable || err != nil {
			t.Errorf("%q, %v, want %q", reason, err, call.Unreachable)
		}
	})
}

// A phone call whose worker vanished continues with another, as long as the phone is there; its number is not dialled again.
func TestPhoneCallTakenOver(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		for _, tc := range []struct {
			name   string
			active bool   // it had been answered
			phone  string // status of the phone; "" for none
			status call.Status
			reason call.Reason
		}{
			{"answered", true, "active", call.Completed, call.CallerHangup},
			{"answered unheard", false, "active", call.Completed, call.CallerHangup},
			{"gone", true, "", call.Disconnected, call.WorkerLost},
			{"not answered", false, "", call.Failed, call.WorkerLost},
		} {
			t.Run(tc.name, func(t *testing.T) {
				h := *h
				h.t = t
				c := h.call()
				steps := []func(context.Context, call.Lease) error{h.calls.MarkConnecting, h.calls.MarkActive}
				if !tc.active {
					steps = steps[:1]
				}
				for _, step := range steps {
					if err := step(t.Context(), c.Lease()); err != nil {
						t.Fatal(err)
					}
				}
				if err := h.rooms.Create(t.Context(), c.RoomName, media.RoomOptions{EmptyTimeout: time.Minute}); err != nil {
					t.Fatal(err)
				}
				var p *media.Participant
				if tc.phone != "" {
					if p = phone(t, c.RoomName, sip.PhoneIdentity(c.ID), tc.phone); p == nil {
						t.FailNow()
					}
				}
				_, over := h.run(h.takeOver())
				if p != nil {
					h.spoken(c.ID)
					p.Leave()
				}
				h.ended(over(), tc.status, tc.reason)
			})
		}
		if dialled := h.net.dialled(); len(dialled) != 0 {
			t.Errorf("dialled %+v", dialled)
		}
	})
}
