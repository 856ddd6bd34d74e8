package wire

import (
	"context"
	"net/netip"

	"parley/internal/fault"
)

// Exchange is what is kept of one request and its answer, for the log line and
// for the error envelope.
type Exchange struct {
	ID        string
	Client    netip.Addr // invalid when it is not known
	UserAgent string
	Tenant    string
	Cause     error // why the answer is 5xx
	BodyLost  bool  // it was incomplete, or too slow

	parameterFaults []fault.Detail // of path and query, see checkParameters
	bodyFaults      []fault.Detail

	ignoredParameters []string // unknown parameters of the query
	ignoredFields     []string // unknown fields of the body

	file []byte // the body of an operation with an Upload

	Fields []string // that the body gives, see validation.names
}

type exchangeKey struct{}

// WithExchange has a context carry an exchange.
func WithExchange(ctx context.Context, x *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// ExchangeOf returns the exchange of a request's context, an empty one outside of requests.
func ExchangeOf(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{}
}
