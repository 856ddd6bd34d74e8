package wire

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/database"
	"parley/internal/fault"
)

// Statuses says which HTTP status each code has. This is the only place that
// knows.
var Statuses = map[fault.Code]int{
	fault.Authentication:      http.StatusUnauthorized,
	fault.TokenExpired:        http.StatusUnauthorized,
	fault.InvalidToken:        http.StatusUnauthorized,
	fault.KeyRevoked:          http.StatusUnauthorized,
	fault.Authorization:       http.StatusForbidden,
	fault.ScopeRequired:       http.StatusForbidden,
	fault.NotFound:            http.StatusNotFound,
	fault.MethodNotAllowed:    http.StatusMethodNotAllowed,
	fault.Conflict:            http.StatusConflict,
	fault.PreconditionFailed:  http.StatusPreconditionFailed,
	fault.PayloadTooLarge:     http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia:    http.StatusUnsupportedMediaType,
	fault.RangeNotSatisfiable: http.StatusRequestedRangeNotSatisfiable,
	fault.Validation:          http.StatusUnprocessableEntity,
	fault.RateLimitExceeded:   http.StatusTooManyRequests,
	fault.BudgetExhausted:     http.StatusTooManyRequests,
	fault.Internal:            http.StatusInternalServerError,
	fault.ServiceUnavailable:  http.StatusServiceUnavailable,
}

// Envelope is the body of every error answer.
type Envelope struct {
	Error ProblemBody `json:"error"`
}

type ProblemBody struct {
	Code    fault.Code     `json:"code" example:"validation_error" doc:"Machine-readable error code."`
	Message string         `json:"message" doc:"Human-readable description of the error."`
	Details []fault.Detail `json:"details,omitempty" doc:"Invalid fields, by dotted path."`
}

// Problem is an error answer, in the form in which huma writes it.
type Problem struct {
	Status     int
	retryAfter time.Duration
	body       ProblemBody
}

func (p *Problem) Error() string                { return p.body.Message }
func (p *Problem) GetStatus() int               { return p.Status }
func (p *Problem) MarshalJSON() ([]byte, error) { return json.Marshal(Envelope{p.body}) }

// GetHeaders adds headers that an answer's status calls for.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.Status == http.StatusUnauthorized {
		h.Set(challengeHeader, challenge)
	}
	if p.retryAfter > 0 {
		h.Set(RetryHeader, strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	return h
}

// databaseRetry is when a client may try again while the database is unreachable.
const databaseRetry = 5 * time.Second

// ProblemOf translates an error into the answer that a client gets. An error
// without a code says nothing of the inside; it is kept for the log line.
func ProblemOf(ctx context.Context, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Code == fault.Internal || Statuses[f.Code] == 0 {
		if x := ExchangeOf(ctx); x.Cause == nil {
			x.Cause = err
		}
		f = fault.New(fault.Internal, "internal server error")
		if database.IsUnavailable(err) && !errors.Is(err, context.DeadlineExceeded) {
			f = fault.Later(fault.ServiceUnavailable, databaseRetry, "the database is unavailable, try again later")
		}
	}
	return &Problem{Status: Statuses[f.Code], body: ProblemBody{Code: f.Code, Message: f.Message, Details: f.Details}, retryAfter: f.RetryAfter}
}

// WriteProblem answers with an error, outside of an operation.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := ProblemOf(r.Context(), err)
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	writeJSON(w, p.Status, p)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error here is the client's leaving.
	_ = json.NewEncoder(w).Encode(v)
}

// huma keeps these as package variables; they are set once, before any server
// exists.
func init() {
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return humaProblem(context.Background(), status, message, errs)
	}
	huma.NewErrorWithContext = func(c huma.Context, status int, message string, errs ...error) huma.StatusError {
		return humaProblem(c.Context(), status, message, errs)
	}
}

// humaProblem translates what huma finds: faulty parameters, to which the
// body's faults are added, or an error of writing an answer.
func humaProblem(ctx context.Context, status int, message string, errs []error) huma.StatusError {
	if status != http.StatusUnprocessableEntity && status != http.StatusBadRequest {
		return ProblemOf(ctx, errors.Join(append(errs, errors.New(message))...))
	}
	details := slices.Clone(ExchangeOf(ctx).parameterFaults)
	parameters := len(details)
	for _, err := range errs {
		var d huma.ErrorDetailer
		if !errors.As(err, &d) {
			return ProblemOf(ctx, err)
		}
		found := d.ErrorDetail()
		place, field, named := strings.Cut(found.Location, ".")
		if !named {
			continue // the body as a whole: its own faults follow
		}
		if slices.ContainsFunc(details[:parameters], func(d fault.Detail) bool { return d.Field == field }) {
			continue // it follows from what is wrong with it already
		}
		if place == "body" || place == "path" || place == "query" || place == "header" {
			details = append(details, fault.Detail{Field: field, Message: found.Message})
		}
	}
	details = append(details, ExchangeOf(ctx).bodyFaults...)
	if len(details) == 0 {
		details = []fault.Detail{{Field: "body", Message: "cannot be read into the expected form"}}
	}
	return ProblemOf(ctx, fault.Invalid(details))
}
