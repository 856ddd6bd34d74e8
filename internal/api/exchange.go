package api

import (
	"context"
	"net/netip"

	"parley/internal/fault"
)

// exchange is what is kept of one request and its answer, for the log line and
// for the error envelope.
type exchange struct {
	id        string
	client    netip.Addr // invalid when it is not known
	userAgent string
	tenant    string
	cause     error // why the answer is 5xx
	bodyLost  bool  // it broke off, or came too slowly

	parameterFaults []fault.Detail // of path and query, see checkParameters
	bodyFaults      []fault.Detail
	fields          []string // that the body gives, see validation.names
}

type exchangeKey struct{}

// withExchange has a context carry an exchange.
func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// exchangeOf is the exchange of a request's context, an empty one outside of requests.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}
