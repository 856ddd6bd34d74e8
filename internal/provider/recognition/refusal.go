package recognition

import (
	"net/http"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// handshakeError says why no stream could be opened. A tenant reads it.
func (r Request) handshakeError(vendor string, response *http.Response, err error) error {
	return dialogue.Wrap("connect to "+vendor, vendorerror.OfHandshake(err, response, handshakeWait, r.Secret))
}

// endError returns why a stream ended that was not closed by this side.
func (r Request) endError(d Dialect, err error) error {
	return vendorerror.OfEnd(d.Vendor, err, longestMessage, d.Refuses, r.Secret)
}
