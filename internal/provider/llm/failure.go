package llm

import "encoding/json"

// Failure returns the error for a failure that a vendor describes inside an event of the answer. It is
// dialogue.ErrRefused when a retry cannot help.
func (x *Exchange) Failure(description json.RawMessage) error { return x.streamError(description) }
