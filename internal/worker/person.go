package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/audio"
	"parley/internal/cost"
	"parley/internal/dialogue"
	"parley/internal/fault"
	"parley/internal/media"
	"parley/internal/sip"
	"parley/internal/tool"
	"parley/internal/transfer"
	"parley/internal/voice"
)

const (
	// personJoin bounds joining the room for a person, and personRemoval removing them from it.
	personJoin, personRemoval = 10 * time.Second, 5 * time.Second
	// personKeys is the most keys of a person that wait to be read.
	personKeys = 16
)

// persons dials persons into the call, for voice.Persons. It is used by the conversation, which dials one at a time.
type persons struct {
	s    *session
	line *line
	n    atomic.Int32 // dialled so far
}

func (p *persons) Hold(agent, sound string) {
	p.line.startHold(func() holdPlayer { return p.s.holdPlayer(agent, sound) })
}

func (p *persons) Resume() { p.line.stopHold() }

// transferReasons maps the causes of dial errors to reasons of transfers.
var transferReasons = map[sip.DialErrorCause]transfer.Reason{
	sip.RingTimeout: transfer.NoAnswer, sip.Busy: transfer.Busy, sip.Declined: transfer.Declined,
	sip.Unreachable: transfer.Rejected, sip.InvalidNumber: transfer.Rejected,
}

// Dial dials a person. Their phone is in the call's room, where only the participant through which the agent speaks with them hears it.
func (p *persons) Dial(ctx context.Context, c voice.PersonCall) (voice.Person, error) {
	route, destination, err := p.route(ctx, c)
	if err != nil {
		return nil, err
	}
	s, n := p.s, int(p.n.Add(1))
	id := fmt.Sprintf("%s-%d", s.call.ID, s.lease.Fence)
	person := newPerson(s, p.line, s.call.RoomName, media.PersonIdentity(id, n))
	person.bill = &phoneBill{meter: &s.meter, trunk: cmp.Or(route.Name, cost.SIP), write: s.journal.writeUsage}
	person.remove = func(ctx context.Context) error { return s.w.options.Rooms.Remove(ctx, person.room, person.identity) }
	if err := person.join(ctx, media.AsideIdentity(id, n)); err != nil {
		s.log.WarnContext(ctx, "failed to join the room for a person", "error", err)
		return nil, &transfer.Failure{Reason: transfer.Rejected, Detail: "The media server is not available."}
	}
	limited, cancel := context.WithTimeout(ctx, c.Ring+dialGrace)
	defer cancel()
	err = s.w.options.Phones.Dial(limited, sip.DialRequest{
		TenantID: s.call.TenantID, CallID: s.call.ID, Room: s.call.RoomName, Identity: person.identity, Peer: person.aside.Identity(), Number: destination,
		Headers: c.Headers, Trunk: route, RingTimeout: c.Ring, MaxDuration: s.timeLeft() + overtime,
	})
	if err == nil && ctx.Err() == nil {
		person.bill.begin()
		s.w.running.Go(func() { person.bill.keep(person.left) })
		return person, nil
	}
	person.HangUp()
	var dialErr *sip.DialError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &dialErr):
		return nil, &transfer.Failure{Reason: transferReasons[dialErr.Cause], SIPStatus: dialErr.Status, Detail: dialErr.Detail}
	}
	return nil, &transfer.Failure{Reason: transfer.Rejected, Detail: "The SIP gateway did not report the result of dialling the person."}
}

// route returns through which trunk a person is dialled, and whom. The error is a *transfer.Failure.
func (p *persons) route(ctx context.Context, c voice.PersonCall) (route sip.OutboundRoute, destination string, err error) {
	s := p.s
	route, err = s.w.options.OutboundRoute(ctx, s.call.TenantID, s.settings.TrunkID, s.call.Livemode)
	switch {
	case errors.Is(err, sip.ErrNoTrunk), fault.Is(err, fault.NotFound):
		return route, "", &transfer.Failure{Reason: transfer.NoTrunk, Detail: "No SIP trunk is configured: nobody can be dialled."}
	case err != nil:
		s.log.WarnContext(ctx, "failed to find the trunk for a person", "error", err)
		return route, "", &transfer.Failure{Reason: transfer.NoTrunk, Detail: "The trunk could not be read."}
	}
	destination, problem := route.Destination(c.Target)
	if problem != "" {
		return route, "", &transfer.Failure{Reason: transfer.NotAllowed, Detail: "The target " + problem + "."}
	}
	if err := s.w.options.AuthorizePerson(ctx, s.call.TenantID, s.call.ID, destination); err != nil {
		failure := &transfer.Failure{Reason: transfer.NotAllowed, Detail: "The number may not be dialled now."}
		var refused *fault.Error
		if errors.As(err, &refused) {
			failure.Detail = refused.Message
		}
		return route, "", failure
	}
	if s.settings.CallerID != "" {
		route.CallerID = s.settings.CallerID
	}
	if number := s.call.PhoneNumber; c.CallerID == tool.CallersCallerID && number != nil {
		route.CallerID = *number
	}
	// The headers of a tool have names that no trunk reserves.
	route.HeadersOut = append(slices.Clone(route.HeadersOut), slices.Sorted(maps.Keys(c.Headers))...)
	return route, destination, nil
}

// person is a person in a room, and the participant through which they are heard and spoken to.
type person struct {
	s        *session
	line     *line
	room     string                      // the call's, or an operator's
	identity string                      // of the person
	remove   func(context.Context) error // ends the person's part
	aside    *media.Participant
	keys     chan byte
	joined   chan struct{} // closed when the person is heard
	left     chan struct{}
	over     sync.Once
	bill     *phoneBill // nil for an operator

	toCaller, toPerson relay // of a connected person; used by one goroutine each
}

func newPerson(s *session, l *line, room, identity string) *person {
	return &person{s: s, line: l, room: room, identity: identity, keys: make(chan byte, personKeys), joined: make(chan struct{}), left: make(chan struct{})}
}

// join joins the room as the participant that alone hears the person, and whom alone the person hears.
func (p *person) join(ctx context.Context, identity string) error {
	ctx, cancel := context.WithTimeout(ctx, personJoin)
	defer cancel()
	s := p.s
	token, err := s.w.options.Tokens.Agent(p.room, identity, s.clock.databaseTime(time.Now()), agentTokenTTL)
	if err != nil {
		return err
	}
	p.toCaller, p.toPerson = newRelay(), newRelay()
	p.aside, err = s.w.options.Joiner.Join(ctx, media.JoinOptions{
		URL: s.w.options.MediaURL, Token: token, Agent: true, Peer: p.identity, Private: true, Data: true, OnFrame: p.hearPerson, OnTone: p.pressKey, Log: s.log,
	})
	if err != nil {
		return err
	}
	s.w.running.Go(p.watch)
	return nil
}

// watch waits until the person has left.
func (p *person) watch() {
	defer close(p.left)
	defer p.endBill()
	joined := sync.OnceFunc(func() { close(p.joined) })
	for e := range p.aside.Events() {
		switch e.Kind {
		case media.PeerAudio:
			joined()
		case media.PeerLeft:
			return
		}
	}
}

func (p *person) Frames() <-chan []int16  { return p.aside.Frames() }
func (p *person) Keys() <-chan byte       { return p.keys }
func (p *person) Joined() <-chan struct{} { return p.joined }
func (p *person) Left() <-chan struct{}   { return p.left }
func (p *person) Play(pcm []int16) error  { return p.aside.Play(pcm) }

func (p *person) pressKey(key byte) {
	select {
	case p.keys <- key:
	default:
	}
}

// Connect lets caller and person hear each other.
func (p *person) Connect() {
	p.line.output.Lock()
	defer p.line.output.Unlock()
	p.line.endHold()
	p.line.bridge.Store(p)
}

// hearPerson plays a frame of a connected person to the caller.
func (p *person) hearPerson(pcm []int16) {
	if p.line.bridge.Load() != p {
		return
	}
	p.toCaller.convert(pcm, func(frame []int16) {
		p.line.output.Lock()
		defer p.line.output.Unlock()
		_ = p.line.send(frame) // the participant has left: the call ends for that
	})
}

// hearCaller plays a frame of the caller to the connected person.
func (p *person) hearCaller(pcm []int16) {
	p.toPerson.convert(pcm, func(frame []int16) { _ = p.aside.Play(frame) })
}

// endBill ends the bill before the call's usage is written.
func (p *person) endBill() {
	if p.bill != nil {
		p.bill.end()
	}
}

// HangUp ends the person's call.
func (p *person) HangUp() {
	p.over.Do(func() {
		p.line.bridge.CompareAndSwap(p, nil)
		p.endBill()
		p.s.w.running.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), personRemoval)
			defer cancel()
			if err := p.remove(ctx); err != nil {
				p.s.log.WarnContext(ctx, "failed to remove a person from the room", "error", err)
			}
			p.aside.Leave()
		})
	})
}

// removePersons removes the persons of a call that was taken over from its room: the worker that connected them is lost.
func (s *session) removePersons(ctx context.Context) {
	if !s.isTakenOver() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, personRemoval)
	defer cancel()
	members, err := s.w.options.Rooms.Participants(ctx, s.call.RoomName)
	for _, m := range members {
		if media.IsAside(m.Identity) {
			err = errors.Join(err, s.w.options.Rooms.Remove(ctx, s.call.RoomName, m.Identity))
		}
	}
	if err != nil {
		s.log.WarnContext(ctx, "failed to remove the persons of a transfer from the room", "error", err)
	}
}

// relay converts frames of what is heard to frames of what is played.
type relay struct {
	resampler *audio.Resampler
	pending   []int16
}

func newRelay() relay {
	return relay{resampler: audio.NewResampler(dialogue.ListenRate, dialogue.SpeakRate)}
}

// convert calls play with each complete frame.
func (r *relay) convert(pcm []int16, play func(frame []int16)) {
	r.pending = r.resampler.Process(pcm, r.pending)
	for len(r.pending) >= speakFrame {
		play(r.pending[:speakFrame])
		r.pending = append(r.pending[:0], r.pending[speakFrame:]...)
	}
}
