package webhook

import (
	"maps"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"parley/internal/fault"
)

// Masked stands for the value of a custom header in answers. Sent back, it keeps
// the value that is stored.
const Masked = "********"

// MaskHeaders returns headers with Masked for their values.
func MaskHeaders(headers map[string]string) map[string]string {
	masked := make(map[string]string, len(headers))
	for name := range headers {
		masked[name] = Masked
	}
	return masked
}

// ErrCallsRead refuses to have transcripts or contexts sent on behalf of who may
// not read them.
var ErrCallsRead = fault.New(fault.ScopeRequired, "the scope calls:read is needed to have transcripts or contexts sent")

// replace returns what is to be stored in place of the current configuration,
// nil for none: masked header values are those that are stored. They go to no
// other host than the one that they were given for: there they must be given
// again. Without readsCalls, transcripts and contexts are sent to no URL that
// they are not sent to already.
func replace(current *Config, given Config, readsCalls bool) (Config, error) {
	var faults []fault.Detail
	moved := current == nil || origin(current.URL) != origin(given.URL)
	given.Headers = maps.Clone(given.Headers)
	for _, name := range slices.Sorted(maps.Keys(given.Headers)) {
		if given.Headers[name] != Masked {
			continue
		}
		stored, known := "", false
		if current != nil {
			stored, known = header(current.Headers, name)
		}
		switch {
		case !known:
			faults = append(faults, fault.Detail{Field: "headers." + name, Message: "is masked, and no value is stored: give the value itself"})
		case moved:
			faults = append(faults, fault.Detail{Field: "headers." + name, Message: "must be given again, or removed with null, for the host of url changes"})
		}
		given.Headers[name] = stored
	}
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

// header is the value of a header in any case of its name.
func header(headers map[string]string, name string) (value string, known bool) {
	for stored, value := range headers {
		if textproto.CanonicalMIMEHeaderKey(stored) == textproto.CanonicalMIMEHeaderKey(name) {
			return value, true
		}
	}
	return "", false
}
