package webhook

import (
	"parley/internal/fault"
	"parley/internal/netguard"
	"parley/internal/seal"
)

// ErrCallsRead rejects including transcripts, contexts or links to pages for a principal without
// calls:read.
var ErrCallsRead = fault.New(fault.ScopeRequired, "the scope calls:read is needed to have transcripts, contexts or links to pages sent")

// mergeConfig returns the configuration to store in place of current (nil: none).
// Masked header values stand for the stored ones. These are valid only for the host
// for which they were set: for another host they must be set again. Without
// readsCalls, transcripts, contexts and links to pages may not be sent to a new URL.
func mergeConfig(current *Config, given Config, readsCalls bool) (Config, error) {
	var stored map[string]string
	moved := ""
	if current != nil {
		stored = current.Headers
		if netguard.Origin(current.URL) != netguard.Origin(given.URL) {
			moved = "the host of url"
		}
	}
	headers, faults := seal.UnmaskHeaders(given.Headers, stored, moved)
	given.Headers = headers
	if err := fault.Invalid(faults); err != nil {
		return Config{}, err
	}
	if more := current == nil || current.URL != given.URL || given.Filter.IncludeTranscript && !current.Filter.IncludeTranscript ||
		given.Filter.IncludeContext && !current.Filter.IncludeContext || given.Filter.IncludePage && !current.Filter.IncludePage; more && given.Filter.includesCallContent() && !readsCalls {
		return Config{}, ErrCallsRead
	}
	return given, nil
}

// includesCallContent reports whether events include transcript or context, or links to pages that show them.
func (f Filter) includesCallContent() bool {
	return f.IncludeTranscript || f.IncludeContext || f.IncludePage
}
