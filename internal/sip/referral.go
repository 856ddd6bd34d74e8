package sip

import (
	"context"
	"errors"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/useragent"
)

// TransferHandler decides on transfers that the other side of a call asks for, and records them.
type TransferHandler interface {
	// AuthorizeTransfer returns the trunk of a call through which it is transferred, and whom to dial: OutboundRoute.Referred of the
	// target. The error is a TransferRefusal if that must not be dialled, any other one for a temporary problem.
	AuthorizeTransfer(ctx context.Context, r TransferRequest) (route OutboundRoute, destination string, err error)
	// RecordTransfer records what became of a call's leg.
	RecordTransfer(ctx context.Context, tenantID, callID string, outcome TransferOutcome) error
}

// TransferRequest asks for a call to be transferred.
type TransferRequest struct {
	TenantID, CallID string
	TrunkID          string // of the call; "" for the platform's
	Target           sip.Uri
}

// TransferRefusal is why a target must not be dialled, in a sentence that does not name it.
type TransferRefusal string

func (r TransferRefusal) Error() string { return string(r) }

// TransferOutcome is what became of a call's leg.
type TransferOutcome string

// The outcomes.
const (
	TransferCompleted TransferOutcome = "transfer_completed" // the target is the phone now (REFER)
	TransferFailed    TransferOutcome = "transfer_failed"    // the target was not reached
	LegReplaced       TransferOutcome = "leg_replaced"       // the trunk has called in place of the leg (Replaces)
)

const (
	// transferDecisionTimeout bounds deciding on a transfer, and recording one.
	transferDecisionTimeout = 5 * time.Second
	// transferorTimeout is how long the leg that was transferred may take to hang up.
	transferorTimeout = 3 * time.Second
	// maxReferredBy is the most bytes of a Referred-By header that is passed on.
	maxReferredBy = 512
)

// handleRefer decides on the peer's request to call another number in its place (RFC 3515). It runs in the call's goroutine, so that a BYE
// that follows finds the transfer in progress.
func (l *leg) handleRefer(f *useragent.Referral) {
	g, p := l.phone.gateway, l.phone
	if g.options.Transfers == nil || !p.trunk.AcceptTransfers {
		f.Reject(sip.StatusGlobalDecline, "Transfers Are Not Accepted")
		return
	}
	end, ok := l.beginTransfer()
	if !ok {
		f.Reject(sip.StatusRequestPending, "")
		return
	}
	if !g.begin() {
		end()
		f.Reject(sip.StatusServiceUnavailable, "")
		return
	}
	go func() {
		defer g.end()
		defer end()
		l.follow(f)
	}()
}

// follow calls the target through the trunk of the call, and makes it the phone's leg.
func (l *leg) follow(f *useragent.Referral) {
	p := l.phone
	route, destination, err := p.authorizeTransfer(f.To)
	var refusal TransferRefusal
	switch {
	case errors.As(err, &refusal):
		f.Reject(sip.StatusForbidden, string(refusal))
		return
	case err != nil:
		p.gateway.options.Logger.Warn("a transfer cannot be decided on", "component", "sip", "call", p.callID, "error", errorText(err))
		f.Reject(sip.StatusServiceUnavailable, "")
		return
	}
	f.Accept()
	next, status := l.dialReferred(f, route, destination)
	if next != nil && !l.replace(next) {
		next.drop(useragent.Reason{})
		next, status = nil, sip.StatusRequestTerminated
	}
	f.Progress(status)
	if next == nil {
		p.recordTransfer(TransferFailed)
		return
	}
	p.recordTransfer(TransferCompleted)
	hangup := time.NewTimer(transferorTimeout)
	defer hangup.Stop()
	select {
	case <-l.call.Load().Done():
	case <-hangup.C:
	case <-p.gateway.ctx.Done():
	}
	l.drop(useragent.Reason{})
}

func (p *phone) authorizeTransfer(target sip.Uri) (OutboundRoute, string, error) {
	ctx, cancel := context.WithTimeout(p.ctx, transferDecisionTimeout)
	defer cancel()
	return p.gateway.options.Transfers.AuthorizeTransfer(ctx, TransferRequest{TenantID: p.trunk.TenantID, CallID: p.callID, TrunkID: p.trunk.TrunkID, Target: target})
}

// recordTransfer records what became of the phone's leg.
func (p *phone) recordTransfer(outcome TransferOutcome) {
	g := p.gateway
	if g.options.Transfers == nil || p.callID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), transferDecisionTimeout)
	defer cancel()
	if err := g.options.Transfers.RecordTransfer(ctx, p.trunk.TenantID, p.callID, outcome); err != nil {
		g.options.Logger.Warn("a transfer is not in the call's timeline", "component", "sip", "call", p.callID, "error", errorText(err))
	}
}

// dialReferred calls whom a referral names. It returns an answered leg, or the status of the failure.
func (l *leg) dialReferred(f *useragent.Referral, route OutboundRoute, destination string) (next *leg, status int) {
	g, p := l.phone.gateway, l.phone
	t, dialErr := g.trunkTargets(p.ctx, route)
	if dialErr != nil {
		return nil, sip.StatusServiceUnavailable
	}
	next, err := p.newLeg(t.peer(), t.negotiation)
	if err != nil {
		return nil, sip.StatusServiceUnavailable
	}
	d := DialRequest{TenantID: p.trunk.TenantID, CallID: p.callID, Number: destination, Trunk: route, RingTimeout: transferTimeout}
	to, dialErr := d.target()
	if dialErr != nil {
		return nil, sip.StatusNotFound
	}
	o := g.dialOptions(next, d, to, t)
	if f.Replaces != "" {
		o.Headers = append(o.Headers, sip.NewHeader("Replaces", f.Replaces))
	}
	if f.ReferredBy != "" && len(f.ReferredBy) <= maxReferredBy {
		o.Headers = append(o.Headers, sip.NewHeader("Referred-By", f.ReferredBy))
	}
	reported := 0
	o.Provisional = func(r *sip.Response) {
		if r.StatusCode != reported {
			reported = r.StatusCode
			f.Progress(reported)
		}
	}
	call, err := g.agent.Dial(p.ctx, o)
	if err != nil {
		next.close()
		return nil, referredStatus(err)
	}
	next.call.Store(call)
	return next, sip.StatusOK
}

// referredStatus returns the status that the transferring side receives for a call that was not answered.
func referredStatus(err error) int {
	var failed *useragent.DialError
	if errors.As(err, &failed) && failed.Status >= 300 {
		return failed.Status
	}
	return sip.StatusServiceUnavailable
}
