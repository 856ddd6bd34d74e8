package negotiation

import "fmt"

// Refusal is why a description cannot be agreed on, as the response to it says.
type Refusal struct {
	Status  int    // 488 or 400 of SIP, 415 for a body that is none
	Warning int    // code of the Warning header (RFC 3261 20.43); 0 for none
	Text    string // one sentence
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d: %s", r.Status, r.Text) }

// Codes of warnings.
const (
	warnTransport = 302 // incompatible transport protocol
	warnMedia     = 304 // media type not available
	warnFormat    = 305 // incompatible media format
)

func malformed(text string) error { return &Refusal{Status: 400, Text: text} }

func unacceptable(warning int, text string) error {
	return &Refusal{Status: 488, Warning: warning, Text: text}
}
