package sip

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/livekit/protocol/livekit"
)

// personal matches personal data in errors of libraries: join tokens, SIP addresses, phone numbers, IP addresses, and what is quoted.
var personal = regexp.MustCompile(`(?i)eyJ[\w-]+(\.[\w-]+)*|"[^"]*"|\x60[^\x60]*\x60|\bsips?:\S+|\+?\d{5,}|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?|\[?[0-9a-f]*(:[0-9a-f]*){3,}\]?(:\d+)?`)

// errorText returns the text of an error without personal data and without what a peer sent: of a SIP status its number alone.
func errorText(err error) string {
	var status *livekit.SIPStatus
	if errors.As(err, &status) {
		return fmt.Sprintf("SIP %d", status.Code)
	}
	return personal.ReplaceAllString(err.Error(), "…")
}
