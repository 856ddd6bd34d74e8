package sip

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/livekit/protocol/livekit"
)

// Errors in the log have nothing that a peer wrote: neither its reason phrase nor what an error quotes of its messages.
func TestErrorText(t *testing.T) {
	for _, err := range []error{
		fmt.Errorf("dial: %w", &livekit.SIPStatus{Code: 603, Status: "what was said"}),
		errors.New(`sdp: invalid syntax "m=what was said"`),
		errors.New("sdp: invalid syntax `m=what was said`"),
		errors.New("no route to sip:what-was-said@example.com"),
	} {
		if text := errorText(err); strings.Contains(text, "said") || text == "" {
			t.Errorf("%v: %s", err, text)
		}
	}
	if text := errorText(fmt.Errorf("dial: %w", &livekit.SIPStatus{Code: 603, Status: "Declined"})); text != "SIP 603" {
		t.Error(text)
	}
}
