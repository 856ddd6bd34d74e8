package sip

import (
	"strings"
	"testing"

	"parley/internal/database"
	"parley/internal/fault"
)

// With an outside LiveKit phone numbers are rejected: nothing would answer them.
func TestNoNumbersOutside(t *testing.T) {
	s := Registry{Outside: true}.In(database.Scope{})
	_, err := s.CreatePhoneNumber(t.Context(), NumberDraft{Number: "+4930123456", AgentName: new("desk")})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "LIVEKIT_URL") {
		t.Errorf("got %v", err)
	}
}
