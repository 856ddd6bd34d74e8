package webhook

import (
	"net/url"
	"strings"

	"parley/internal/fault"
	"parley/internal/seal"
)

// ErrCallsRead rejects including transcripts or contexts for a principal without
// calls:read.
var ErrCallsRead = fault.New(fault.ScopeRequired, "the scope calls:read is needed to have transcripts or contexts sent")

// replace returns the configuration to store in place of current (nil: none).
// Masked header values keep the stored ones, which are valid only for the
// host they were set for: for another host they must be set again. Without
// readsCalls, transcripts and contexts may not be sent to a new URL.
func replace(current *Config, given Config, readsCalls bool) (Config, error) {
	var stored map[string]string
	moved := ""
	if current != nil {
		stored = current.Headers
		if origin(current.URL) != origin(given.URL) {
			moved = "the host of url"
		}
	}
	headers, faults := seal.UnmaskHeaders(given.Headers, stored, moved)
	given.Headers = headers
	if err := fault.Invalid(faults); err != nil {
		return Config{}, err
	}
	if more := current == nil || current.URL != given.URL || given.Filter.IncludeTranscript && !current.Filter.IncludeTranscript ||
		given.Filter.IncludeContext && !current.Filter.IncludeContext; more && given.Filter.holdsCalls() && !readsCalls {
		return Config{}, ErrCallsRead
	}
	return given, nil
}

// holdsCalls reports whether terminal events include transcript or context.
func (f Filter) holdsCalls() bool { return f.IncludeTranscript || f.IncludeContext }

// origin returns the scheme, host and port of a URL.
func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port)
}
