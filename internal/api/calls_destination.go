package api

import (
	"context"
	"errors"
	"slices"

	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/sip"
)

// setDestination converts a call's phone number to the form in which its trunk dials it, and checks its headers and settings. It reports
// whether the call can be dialled: it has a trunk, or needs none.
func (s *Server) setDestination(ctx context.Context, r *call.Request) (dialled bool, err error) {
	if r.PhoneNumber == nil {
		return true, nil
	}
	route, err := s.deps.SIP.OutboundRoute(ctx, s.deps.DB, r.TenantID, r.Settings.TrunkID, r.Livemode)
	if r.Settings.TrunkID != "" && fault.Is(err, fault.NotFound) {
		return false, fault.Invalid([]fault.Detail{{Field: "trunk_id", Message: "there is no SIP trunk with this id"}})
	}
	dialled = !errors.Is(err, sip.ErrNoTrunk)
	if err != nil && dialled {
		return false, err
	}
	var faults []fault.Detail
	destination, problem := route.Destination(*r.PhoneNumber)
	if problem != "" {
		faults = append(faults, fault.Detail{Field: "phone_number", Message: problem})
	}
	if faults, err = s.checkCallerID(ctx, r, route, faults); err != nil {
		return false, err
	}
	r.PhoneNumber, r.Trunk = &destination, route.Name
	return dialled || r.CallType != call.SIP, fault.Invalid(append(faults, route.CheckHeaders(r.SIPHeaders)...))
}

// checkCallerID adds a fault if a call through the platform's trunk is to show a number that is not the tenant's: the operator answers for
// what its trunk shows.
func (s *Server) checkCallerID(ctx context.Context, r *call.Request, route sip.OutboundRoute, faults []fault.Detail) ([]fault.Detail, error) {
	if r.Settings.CallerID == "" || !route.Platform || !r.Livemode {
		return faults, nil
	}
	own, err := sip.Assignments(ctx, s.deps.DB, r.TenantID)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(own, func(a sip.Assignment) bool { return a.Number == r.Settings.CallerID }) {
		faults = append(faults, fault.Detail{Field: "caller_id", Message: "is not assigned to the tenant, which the platform's trunk requires"})
	}
	return faults, nil
}
