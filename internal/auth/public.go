package auth

import (
	"context"
	"net/netip"
)

const (
	// publicRequestsFromAddress limits requests with public tokens, valid or not, whatever their result.
	publicRequestsFromAddress = 120
	// publicCrowd is how many times as many calls a minute a public token starts in all as from one address.
	publicCrowd = 10
)

const (
	publicRequests  = "public requests of address"
	publicCalls     = "calls of public token"
	publicCallsFrom = "calls of public token from address"
)

// AdmitPublicRequest counts a request with a public token before the token is read.
func (s *Service) AdmitPublicRequest(ctx context.Context, from netip.Addr) error {
	return s.strangers.take(ctx, counter{publicRequests, network(from), publicRequestsFromAddress}, "more than %d requests a minute from this address")
}

// AdmitPublicCall counts a call of a public token, by the caller's address and in all.
func (s *Service) AdmitPublicCall(ctx context.Context, tokenID string, from netip.Addr, perMinute int) error {
	if err := s.strangers.take(ctx, counter{publicCallsFrom, tokenID + "\n" + network(from), perMinute}, "more than %d calls a minute from this address"); err != nil {
		return err
	}
	return s.strangers.take(ctx, counter{publicCalls, tokenID, publicCrowd * perMinute}, "more than %d calls a minute with this public token")
}
