package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/media"
	"parley/internal/sip"
)

const (
	// provisionInterval is how often LiveKit's trunks are compared with the phone numbers. A change of this process is applied at once.
	provisionInterval = 30 * time.Second
	// phonePoll is how often LiveKit's rooms are listed for callers of whom no notice has arrived.
	phonePoll = time.Second
	// outsideTimeout bounds one round of either.
	outsideTimeout = 20 * time.Second
	// phoneDeparture is how long the room of a caller who has hung up remains while no agent is in it.
	phoneDeparture = 2 * time.Second
	// noticesKept limits the callers whose calls are not dispatched yet; polling finds those beyond it.
	noticesKept = 64
)

// outsidePhoneCalls answers phone calls that come in through the SIP service of an outside LiveKit, which puts the caller in a room of
// its own. The room's call is dispatched at LiveKit's notice of it, or when the rooms are listed next.
type outsidePhoneCalls struct {
	*infrastructure
	server      *mediaServer
	provisioner *sip.Provisioner
	agent       string // for notices
	joined      chan caller

	inUse     chan struct{} // closed once there are phone numbers
	firstUse  sync.Once
	hasRoutes atomic.Bool
}

// caller is a phone that has joined a room.
type caller struct {
	room  string
	phone media.Member
}

func newOutsidePhoneCalls(ctx context.Context, g *infrastructure, server *mediaServer) (*outsidePhoneCalls, error) {
	id, err := installationID(ctx, g.db)
	if err != nil {
		return nil, err
	}
	o := &outsidePhoneCalls{infrastructure: g, server: server, agent: "parley-" + id, joined: make(chan caller, noticesKept), inUse: make(chan struct{})}
	o.provisioner = sip.NewProvisioner(sip.ProvisionerOptions{
		URL: server.url, Key: server.tokens.Key, Secret: server.tokens.Secret, Installation: id, Agent: o.agent,
		RingTimeout: server.join + emptyRoom, Empty: emptyRoom, Departure: phoneDeparture, Log: g.log,
	})
	return o, nil
}

// run runs until ctx ends.
func (o *outsidePhoneCalls) run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() {
		select {
		case <-o.inUse:
		case <-ctx.Done():
			return
		}
		media.Notices(ctx, media.NoticesOptions{URL: o.server.url, Tokens: o.server.tokens, Agent: o.agent, Log: o.log, Joined: func(room string, who media.Member) {
			select {
			case o.joined <- caller{room, who}:
			default:
			}
		}})
	})
	running.Go(func() { o.provision(ctx) })
	running.Go(func() { o.answer(ctx) })
	running.Wait()
}

// provision keeps the phone numbers at LiveKit.
func (o *outsidePhoneCalls) provision(ctx context.Context) {
	failing := false
	for {
		err := o.provisionOnce(ctx)
		if !o.hasRoutes.Load() {
			err = nil // a LiveKit without a SIP service serves web calls
		}
		if err != nil && !failing && ctx.Err() == nil {
			o.log.WarnContext(ctx, "phone numbers could not be set up at LiveKit; repeated until they are", "error", err)
		}
		failing = err != nil
		wait := provisionInterval
		if failing {
			wait = time.Second
		}
		select {
		case <-time.After(wait):
		case <-o.numbersChanged:
		case <-ctx.Done():
			return
		}
	}
}

func (o *outsidePhoneCalls) provisionOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, outsideTimeout)
	defer cancel()
	routes, err := o.phones.AllInboundRoutes(ctx, o.db)
	if err != nil {
		return err
	}
	if o.hasRoutes.Store(len(routes) > 0); len(routes) > 0 {
		o.firstUse.Do(func() { close(o.inUse) })
	}
	return o.provisioner.Provision(ctx, routes)
}

// answer dispatches the calls of callers in LiveKit's rooms.
func (o *outsidePhoneCalls) answer(ctx context.Context) {
	ticker := time.NewTicker(phonePoll)
	defer ticker.Stop()
	failing := false
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case c := <-o.joined:
			err = o.dispatch(ctx, c)
		case <-ticker.C:
			if o.hasRoutes.Load() {
				err = o.poll(ctx)
			}
		}
		if err != nil && !failing && ctx.Err() == nil {
			o.log.WarnContext(ctx, "inbound phone calls of LiveKit's SIP service cannot be answered at present", "error", err)
		}
		failing = err != nil
	}
}

// poll dispatches the calls of rooms that have none yet, and ends those whose caller has hung up before an agent was there.
func (o *outsidePhoneCalls) poll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, outsideTimeout)
	defer cancel()
	// The calls first: those whose rooms LiveKit makes meanwhile are then not taken for abandoned.
	waiting, err := o.calls.WaitingPhones(ctx)
	if err != nil {
		return err
	}
	rooms, err := o.server.rooms.List(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, room := range rooms {
		if _, ok := sip.InboundRoom(room.Name); ok {
			names = append(names, room.Name)
		}
	}
	for _, c := range waiting {
		if _, ok := sip.InboundRoom(c.RoomName); ok && !slices.Contains(names, c.RoomName) {
			o.hungUp(c.TenantID, c.ID)
		}
	}
	return o.dispatchRooms(ctx, names)
}

// dispatchRooms dispatches the calls of those rooms that have none.
func (o *outsidePhoneCalls) dispatchRooms(ctx context.Context, names []string) error {
	names, err := o.calls.WithoutCall(ctx, names)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		members, err := o.server.rooms.Participants(ctx, name)
		failed = append(failed, err)
		if at := slices.IndexFunc(members, func(m media.Member) bool { return m.Phone }); at >= 0 {
			failed = append(failed, o.dispatch(ctx, caller{name, members[at]}))
		}
	}
	return errors.Join(failed...)
}

// dispatch dispatches a caller's call. A caller whom nobody can answer is hung up; after any other error the phone continues to ring,
// and the next round tries again.
func (o *outsidePhoneCalls) dispatch(ctx context.Context, c caller) error {
	id, ok := sip.InboundRoom(c.room)
	if !ok || !c.phone.Phone {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, outsideTimeout)
	defer cancel()
	route, err := o.phones.InboundRoute(ctx, o.db, id)
	if err == nil {
		_, err = o.dispatchInbound(ctx, route, sip.Caller{Number: sip.E164(c.phone.PhoneNumber(), route.Country), From: c.phone.PhoneNumber()}, c.room)
	}
	switch {
	case err == nil || errors.Is(err, call.ErrRoomTaken):
		return nil
	case errors.Is(err, sip.ErrNoRoute), fault.Is(err, fault.RateLimitExceeded), fault.Is(err, fault.ServiceUnavailable):
		return o.server.Delete(ctx, c.room)
	}
	return err
}
