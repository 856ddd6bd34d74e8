package sip

import (
	"context"
	"errors"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// Dial is a number to ring for a call.
type Dial struct {
	Room     string // that whoever answers is brought into; it must be there
	Identity string // of the participant there: PhoneIdentity(callID)
	Number   string // E.164
	Trunk    Route  // what Registry.Route found
	// RingTimeout is how long it may take until it is answered.
	RingTimeout time.Duration
	// MaxDuration ends the phone's leg that long after it was answered: a belt beside the worker's own clock. 0 is no limit.
	MaxDuration time.Duration
}

// PhoneIdentity is who a call's phone is in its room.
func PhoneIdentity(callID string) string { return "phone-" + callID }

// Route is the way of a call into the telephone network: a trunk, opened.
type Route struct {
	Address            string // host or host:port
	Transport          Transport
	Username, Password string            // in the clear; "" for none
	CallerID           string            // E.164; "" for none
	Headers            map[string]string // of every INVITE
	Encryption         MediaEncryption
	// Platform says that it is the operator's own trunk, who may have it on a private address.
	Platform bool
}

// ErrNoTrunk says that a tenant has no trunk to dial through, nor the platform.
var ErrNoTrunk = errors.New("there is no SIP trunk to dial through")

// Route finds what a tenant's calls are dialled through: its default trunk, or its oldest, or the platform's; ErrNoTrunk
// without any. Calls made with test keys are dialled at the sandbox alone.
func (r Registry) Route(ctx context.Context, db *database.DB, tenantID string, livemode bool) (route Route, err error) {
	switch {
	case !livemode && r.Sandbox == "":
		return route, ErrNoTrunk
	case !livemode:
		return Route{Address: r.Sandbox, Transport: UDP, Platform: true}, nil
	}
	err = db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err := r.DefaultTrunk(ctx, tx)
		if fault.Is(err, fault.NotFound) {
			return ErrNoTrunk
		}
		if err != nil {
			return err
		}
		route = t.route()
		return nil
	})
	return route, err
}

// text is what an optional field says; "" for nothing.
func text(field *string) string {
	if field == nil {
		return ""
	}
	return *field
}

func (t *Trunk) route() Route {
	return Route{
		Address: t.Address, Transport: t.Transport, Username: text(t.Username), Password: text(t.Password), CallerID: text(t.CallerID),
		Headers: t.Headers, Encryption: t.MediaEncryption, Platform: t.TenantID == "",
	}
}
