package webhook

import (
	"net/url"
	"strings"

	"parley/internal/fault"
	"parley/internal/seal"
)

// ErrCallsRead refuses to have transcripts or contexts sent on behalf of who may
// not read them.
var ErrCallsRead = fault.New(fault.ScopeRequired, "the scope calls:read is needed to have transcripts or contexts sent")

// replace returns what is to be stored in place of the current configuration,
// nil for none: masked header values are those that are stored. They go to no
// other host than the one that they were given for: there they must be given
// again. Without readsCalls, transcripts and contexts are sent to no URL that
// they are not sent to already.
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

// holdsCalls reports whether terminal events carry what was said.
func (f Filter) holdsCalls() bool { return f.IncludeTranscript || f.IncludeContext }

// origin is the scheme, host and port that a URL leads to.
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
