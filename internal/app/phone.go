package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"parley/internal/call"
	"parley/internal/config"
	"parley/internal/fault"
	"parley/internal/media"
	"parley/internal/sip"
	"parley/internal/worker"
)

// gatewayOptions says how to start the SIP gateway in this process, its secret
// left aside.
func gatewayOptions(c config.Server) (sip.GatewayOptions, error) {
	ip, err := c.NodeIP()
	if err != nil {
		return sip.GatewayOptions{}, err
	}
	from, to, err := c.RTPPorts()
	o := sip.GatewayOptions{
		RTPPorts: sip.PortRange{From: from, To: to}, LoopbackOnly: c.Loopback(), NodeIP: ip,
		AllowPrivateNetworks: c.PrivateNetworks(),
		Limits: sip.CallLimits{PerNumber: c.SIPCallsPerNumber, PerTrunk: c.SIPCallsPerTrunk, PerTenant: c.SIPCallsPerTenant, PerAddress: c.SIPCallsPerAddress,
			NewPerNumber: c.SIPNewCallsPerNumber, NewPerTenant: c.SIPNewCallsPerTenant, NewPerAddress: c.SIPNewCallsPerAddress},
		MediaURL: embeddedURL(c), Key: embeddedKey, Logger: c.Logger(),
	}
	o.Port = gatewayPort(c.SIPPort, func(port int) bool {
		o := o
		o.Port = port
		return o.Check() == nil
	})
	return o, err
}

// gatewayPort is the port that was given, else the standard one, or 0 for any
// while somebody has that: another telephone system, or another Parley, is no
// reason not to start.
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

// phoneSignalling serves the media server's signalling to phones, on a port of
// the loopback interface: LiveKit's SDK closes its connection as soon as it has
// said goodbye, which then may be lost, and the room takes a phone that hung up
// for one that was lost, 20 seconds later. The proxy holds the end back.
func phoneSignalling(at *mediaServer, log *slog.Logger) (url string, stop func(context.Context) error, err error) {
	refuse := func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusServiceUnavailable) }
	proxy, err := media.Proxy(at.url, at.tokens, nil, refuse)
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("signalling of phones: %w", err)
	}
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, IdleTimeout: time.Minute}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("signalling of phones", "error", err)
		}
	}()
	return "ws://" + l.Addr().String(), server.Shutdown, nil
}

// phones dials: the gateway of this process, or the SIP service of an outside
// LiveKit.
type phones interface {
	worker.Phones
	// Check returns an error when no call can be dialled for now.
	Check(ctx context.Context) error
}

// outsidePhone reports whether calls that come in have no gateway of Parley's: the
// media server is an outside LiveKit, and not the embedded one of another node.
func outsidePhone(c config.Server) bool { return c.LiveKitURL != "" && c.LiveKitAPIKey != embeddedKey }

// outsidePhones dials through an outside LiveKit; nil when there is none.
func outsidePhones(c config.Server, allowPrivate bool) phones {
	if c.LiveKitURL == "" {
		return nil
	}
	return sip.NewService(sip.ServiceOptions{URL: c.LiveKitURL, Key: c.LiveKitAPIKey, Secret: c.LiveKitAPISecret, AllowPrivateNetworks: allowPrivate})
}

// reception answers the phone: a call that comes in is dispatched as any other.
type reception struct {
	*ground
	server *mediaServer
}

// Lines are those who answer a number.
func (r reception) Lines(ctx context.Context, number string) ([]sip.Line, error) {
	return r.phones.Lines(ctx, r.db, number)
}

// Answer dispatches a call for a caller, whose room is made at once.
func (r reception) Answer(ctx context.Context, l sip.Line, from string) (v sip.Visitor, err error) {
	request := call.Request{TenantID: l.TenantID, WorkflowSlug: l.WorkflowSlug, AgentName: l.AgentName, CallType: call.SIP, Inbound: true, Livemode: true}
	if from != "" {
		request.PhoneNumber = &from
	}
	c, _, err := r.calls.Dispatch(ctx, request)
	switch {
	case fault.Is(err, fault.NotFound), fault.Is(err, fault.Conflict): // what was to answer is gone, or not active
		r.log.WarnContext(ctx, "a phone number leads to nobody who can answer", "tenant", l.TenantID, "error", err)
		return v, sip.ErrNoLine
	case err != nil:
		return v, err
	}
	gone := func() {
		ctx, cancel := context.WithTimeout(context.Background(), departWait)
		defer cancel()
		if err := r.calls.HungUp(ctx, c.TenantID, c.ID); err != nil {
			r.log.WarnContext(ctx, "a caller hung up", "call", c.ID, "error", err)
		}
	}
	if err := r.server.make(ctx, c.RoomName); err != nil {
		gone()
		return v, err
	}
	return sip.Visitor{Room: c.RoomName, Identity: sip.PhoneIdentity(c.ID), Gone: gone}, nil
}
