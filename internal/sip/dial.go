package sip

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// DialRequest describes an outbound phone call.
type DialRequest struct {
	TenantID string
	CallID   string        // of Parley's call
	Room     string        // that the answered call joins; it must exist
	Identity string        // of the phone's participant: PhoneIdentity(callID)
	Number   string        // from OutboundRoute.Destination: E.164, or an extension or SIP URI
	Trunk    OutboundRoute // from Registry.OutboundRoute
	// Headers are added to the INVITE if the trunk's headers_out has them.
	Headers map[string]string
	// Peer is the participant of the room with whom the phone is connected, alone; "" for the room's agent.
	Peer string
	// RingTimeout is how long the call may ring before it is answered.
	RingTimeout time.Duration
	// MaxDuration ends the phone's leg that long after the answer, as a safeguard besides the worker's own limit. 0
	// means no limit.
	MaxDuration time.Duration
}

// PhoneIdentity returns the participant identity of a call's phone.
func PhoneIdentity(callID string) string { return "phone-" + callID }

// OutboundRoute is a trunk to dial through, with its secrets decrypted.
type OutboundRoute struct {
	ID                 string // of the trunk; "" for the platform's and the sandbox
	Name               string // of the trunk; "" for the sandbox
	Address            string // host or host:port
	Transport          Transport
	Username, Password string            // plaintext; "" for none
	CallerID           string            // E.164; "" for none
	Headers            map[string]string // of every INVITE
	Encryption         MediaEncryption
	CallSettings
	Addresses []netip.Prefix // that the trunk's calls come from
	// AcceptTransfers reports whether the trunk may have the gateway call other numbers (REFER).
	AcceptTransfers bool
	// Platform reports whether it is the operator's own trunk, which may be at a private address.
	Platform bool
}

// ErrNoTrunk is returned when neither the tenant nor the platform has a trunk to dial through.
var ErrNoTrunk = errors.New("there is no SIP trunk to dial through")

// OutboundRoute returns the trunk that a tenant's calls are dialled through: its default trunk, or its oldest, or
// the platform's; ErrNoTrunk without any. With a trunk id it is that trunk of the tenant, or not_found. Calls of test keys use the sandbox
// only, with the settings of calls of that trunk.
func (r Registry) OutboundRoute(ctx context.Context, db *database.DB, tenantID, trunkID string, livemode bool) (route OutboundRoute, err error) {
	switch {
	case !livemode && r.Sandbox == "":
		return route, ErrNoTrunk
	}
	err = db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		var t *Trunk
		if trunkID != "" {
			if t, err = r.trunk(ctx, tx, trunkID); err != nil {
				return err
			}
		} else {
			t, err = r.DefaultTrunk(ctx, tx)
		}
		switch {
		case err != nil && !fault.Is(err, fault.NotFound):
			return err
		case !livemode:
			route = OutboundRoute{Address: r.Sandbox, Transport: UDP, Platform: true}
			if t != nil {
				route.CallSettings = t.CallSettings
			}
		case err != nil:
			return ErrNoTrunk
		default:
			route = t.Route()
		}
		return nil
	})
	return route, err
}

// valueOrEmpty returns an optional field's value; "" for nil.
func valueOrEmpty(field *string) string {
	if field == nil {
		return ""
	}
	return *field
}

// Route returns the trunk as one to dial through.
func (t *Trunk) Route() OutboundRoute {
	return OutboundRoute{
		Address: t.Address, Transport: t.Transport, Username: valueOrEmpty(t.Username), Password: valueOrEmpty(t.Password), CallerID: valueOrEmpty(t.CallerID),
		Headers: t.Headers, Encryption: t.MediaEncryption, CallSettings: t.CallSettings, Platform: t.TenantID == "",
		ID: t.ID, Name: t.Name, Addresses: t.networks(), AcceptTransfers: t.AcceptTransfers,
	}
}
