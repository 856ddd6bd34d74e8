package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"parley/internal/call"
	"parley/internal/config"
	"parley/internal/fault"
	"parley/internal/sip"
	"parley/internal/worker"
)

// gatewayOptions returns the options of the SIP gateway in this process, without its secret.
func gatewayOptions(c config.Server) (sip.GatewayOptions, error) {
	ip, err := c.NodeIP()
	if err != nil {
		return sip.GatewayOptions{}, err
	}
	from, to, err := c.RTPPorts()
	o := sip.GatewayOptions{
		TLS: sip.TLSOptions{Port: c.SIPTLSPort, Certificate: c.SIPTLSCert, Key: c.SIPTLSKey}, RTPPorts: sip.PortRange{From: from, To: to}, LoopbackOnly: c.Loopback(), NodeIP: ip,
		AllowPrivateNetworks: c.PrivateNetworks(),
		Limits: sip.CallLimits{PerNumber: c.SIPCallsPerNumber, PerTrunk: c.SIPCallsPerTrunk, PerTenant: c.SIPCallsPerTenant, PerAddress: c.SIPCallsPerAddress,
			NewPerNumber: c.SIPNewCallsPerNumber, NewPerTenant: c.SIPNewCallsPerTenant, NewPerAddress: c.SIPNewCallsPerAddress},
		Logger: c.Logger(),
	}
	o.Port = gatewayPort(c.SIPPort, func(port int) bool {
		o := o
		o.Port = port
		return o.Check() == nil
	})
	return o, err
}

// gatewayPort returns the configured port, else the standard one, or 0 (any) if that is in use, so that another
// telephone system on the machine does not prevent the start.
func gatewayPort(given *int, free func(port int) bool) int {
	switch {
	case given != nil:
		return *given
	case free(standardPort):
		return standardPort
	}
	return 0
}

// standardPort is SIP's: RFC 3261, section 19.1.2.
const standardPort = 5060

// phones makes phone calls, through the SIP gateway of this process or those of others.
type phones interface {
	worker.Phones
	// Check returns an error when no call can be dialled at present.
	Check(ctx context.Context) error
}

// remotePhones returns the SIP gateways of other processes.
func (g *infrastructure) remotePhones() *sip.Remote {
	return &sip.Remote{DB: g.db, Bus: g.bus, Sealer: g.secrets.Sealer}
}

// inboundCalls implements sip.InboundHandler: an inbound call is dispatched like any other.
type inboundCalls struct {
	*infrastructure
	server *mediaServer
}

// Routes returns the routes of a number.
func (r inboundCalls) Routes(ctx context.Context, dialled string) ([]sip.InboundRoute, error) {
	return r.phones.InboundRoutes(ctx, r.db, dialled)
}

// Answer dispatches a caller's call and creates its room.
func (r inboundCalls) Answer(ctx context.Context, l sip.InboundRoute, from sip.Caller) (v sip.InboundCaller, err error) {
	request := call.Request{TenantID: l.TenantID, WorkflowSlug: l.WorkflowSlug, AgentName: l.AgentName, CallType: call.SIP, Trunk: l.Trunk, Inbound: true, Livemode: true,
		PhoneNumber: optional(from.Number), Caller: call.Caller{From: optional(from.From), CallerName: optional(from.Name), Verstat: optional(from.Verstat), Attestation: optional(from.Attestation)},
		Hook: l.CallHook, Dialled: l.Number, InviteHeaders: from.Headers}
	if len(from.Headers) > 0 {
		if request.UserContext, err = json.Marshal(map[string]any{"sip": from.Headers}); err != nil {
			return v, fmt.Errorf("encode SIP headers of a caller: %w", err)
		}
	}
	c, _, err := r.calls.Dispatch(ctx, request)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) { // the agent or workflow is missing or inactive
		r.log.WarnContext(ctx, "phone number has no agent or workflow that can answer", "tenant", l.TenantID, "error", err)
		return v, sip.ErrNoRoute
	}
	if err != nil {
		return v, err
	}
	if c.SIPStatus != nil { // the tenant's call hook has rejected it
		return v, sip.Rejection(*c.SIPStatus)
	}
	gone := func() { r.hungUp(c.TenantID, c.ID) }
	if err := r.server.make(ctx, c.RoomName); err != nil {
		gone()
		return v, err
	}
	return sip.InboundCaller{CallID: c.ID, Room: c.RoomName, Identity: sip.PhoneIdentity(c.ID), OnHangup: gone}, nil
}

// transfers implements sip.TransferHandler.
type transfers struct{ *infrastructure }

// AuthorizeTransfer returns the trunk of a call through which it is transferred, if the trunk accepts transfers, and whom to dial.
func (t transfers) AuthorizeTransfer(ctx context.Context, r sip.TransferRequest) (route sip.OutboundRoute, destination string, err error) {
	trunk, err := t.phones.In(t.db.Tenant(r.TenantID)).Trunk(ctx, r.TrunkID)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && !trunk.AcceptTransfers: // deleted or changed since the call began
		return route, "", sip.TransferRefusal("the trunk accepts no transfers any more")
	case err != nil:
		return route, "", err
	}
	route = trunk.Route()
	destination, problem := route.Referred(r.Target)
	if problem != "" {
		return route, "", sip.TransferRefusal("the number " + problem)
	}
	err = t.calls.AuthorizeTransfer(ctx, r.TenantID, r.CallID, destination)
	var refused *fault.Error
	if errors.As(err, &refused) {
		return route, "", sip.TransferRefusal(refused.Message)
	}
	return route, destination, err
}

// RecordTransfer records an outcome in the call's timeline.
func (t transfers) RecordTransfer(ctx context.Context, tenantID, callID string, outcome sip.TransferOutcome) error {
	return t.calls.RecordTransfer(ctx, tenantID, callID, call.IncidentType(outcome))
}

// messageLog implements sip.MessageLog.
type messageLog struct{ *infrastructure }

// WriteMessages stores SIP messages.
func (l messageLog) WriteMessages(ctx context.Context, messages []sip.Message) error {
	return sip.WriteMessages(ctx, l.db, messages)
}

// MessagesDropped counts SIP messages that were not stored.
func (l messageLog) MessagesDropped(n int) { l.metrics.SIPMessagesDropped(n) }

// hungUp records that an inbound caller has hung up.
func (g *infrastructure) hungUp(tenantID, callID string) {
	ctx, cancel := context.WithTimeout(context.Background(), departureTimeout)
	defer cancel()
	if err := g.calls.MarkHungUp(ctx, tenantID, callID); err != nil {
		g.log.WarnContext(ctx, "failed to record a hang-up", "call", callID, "error", err)
	}
}
