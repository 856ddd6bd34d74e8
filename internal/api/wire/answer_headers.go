package wire

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// Names of headers that several files write or describe. Those of the limit are in
// every answer to a caller with one, errors included.
const (
	RequestIDHeader        = "X-Request-Id"
	IgnoredFieldHeader     = "X-Ignored-Fields"
	IgnoredParameterHeader = "X-Ignored-Parameters"
	RetryHeader            = "Retry-After"
	challengeHeader        = "WWW-Authenticate"
	rangeHeader            = "Content-Range"
	LimitHeader            = "X-RateLimit-Limit"     // requests a minute
	RemainingHeader        = "X-RateLimit-Remaining" // requests left
	ResetHeader            = "X-RateLimit-Reset"     // Unix seconds; when all requests are available again
)

// challenge is what a 401 says of how to sign in.
const challenge = `Bearer realm="parley"`

// answerHeaders describes the headers of answers, keyed by name.
var answerHeaders = map[string]*huma.Param{
	RequestIDHeader:        {Description: "Unique identifier of the request, for support: the client's, if it sent one, or else generated.", Schema: &huma.Schema{Type: huma.TypeString}, Example: "4bf92f3577b34da6a3ce929d0e0e4736"},
	LimitHeader:            {Description: "Rate limit, in requests per minute. Absent without a limit, as are the other two headers.", Schema: &huma.Schema{Type: huma.TypeInteger}, Example: 600},
	RemainingHeader:        {Description: "Number of requests currently available.", Schema: &huma.Schema{Type: huma.TypeInteger}, Example: 599},
	ResetHeader:            {Description: "Time at which the full limit is available again, in Unix seconds.", Schema: &huma.Schema{Type: huma.TypeInteger}, Example: 1793525400},
	RetryHeader:            {Description: "Seconds until the next request is allowed.", Schema: &huma.Schema{Type: huma.TypeInteger}, Example: 2},
	IgnoredFieldHeader:     {Description: "Unknown fields of the request body, by dotted path. Absent if there are none.", Schema: &huma.Schema{Type: huma.TypeString}, Example: "confg, user_context.nam"},
	IgnoredParameterHeader: {Description: "Unknown query parameters. Absent if there are none.", Schema: &huma.Schema{Type: huma.TypeString}, Example: "pagesize, user"},
	challengeHeader:        {Description: "Authentication challenge (RFC 9110, section 11.6.1).", Schema: &huma.Schema{Type: huma.TypeString}, Example: challenge},
	rangeHeader:            {Description: "Returned byte range and total length (RFC 9110, section 14.4).", Schema: &huma.Schema{Type: huma.TypeString}, Example: "bytes 0-65535/1048576"},
}

// beforeBody are the statuses that are answered before a body is looked at.
var beforeBody = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusTooManyRequests}

// DescribeHeaders adds to all operations the headers of their answers. The one at
// the path plain is not registered with register: it has neither a limit nor
// parameters.
func DescribeHeaders(described *huma.OpenAPI, plain string) {
	described.Components.Headers = answerHeaders
	for _, item := range described.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			for status, answer := range op.Responses {
				if code, err := strconv.Atoi(status); err == nil {
					describeAnswerHeaders(op, op.Path == plain, code, answer)
				}
			}
		}
	}
}

// takesFields reports whether an operation has a body of JSON.
func takesFields(op *huma.Operation) bool {
	return op.RequestBody != nil && op.RequestBody.Content["application/json"] != nil
}

func describeAnswerHeaders(op *huma.Operation, plain bool, status int, answer *huma.Response) {
	names := []string{RequestIDHeader}
	if !plain {
		names = append(names, IgnoredParameterHeader)
	}
	if len(op.Security) > 0 && status != http.StatusUnauthorized && !plain { // authentication precedes rate limits
		names = append(names, LimitHeader, RemainingHeader, ResetHeader)
	}
	if takesFields(op) && !slices.Contains(beforeBody, status) {
		names = append(names, IgnoredFieldHeader)
	}
	switch status {
	case http.StatusUnauthorized:
		names = append(names, challengeHeader)
	case http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		names = append(names, rangeHeader)
	case http.StatusTooManyRequests:
		names = append(names, RetryHeader)
	case http.StatusServiceUnavailable:
		if op.RequestBody != nil { // a dispatch; the duration of a database outage is unknown
			names = append(names, RetryHeader)
		}
	}
	if answer.Headers == nil {
		answer.Headers = map[string]*huma.Param{}
	}
	for _, name := range names {
		answer.Headers[name] = &huma.Param{Ref: "#/components/headers/" + name}
	}
}
