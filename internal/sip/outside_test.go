package sip

import (
	"strings"
	"testing"

	"parley/internal/database"
	"parley/internal/fault"
)

// Where an outside LiveKit has the phones a number is refused, for nobody would answer it.
func TestNoNumbersOutside(t *testing.T) {
	s := Registry{Outside: true}.In(database.Scope{})
	_, err := s.CreatePhoneNumber(t.Context(), NumberDraft{Number: "+4930123456", AgentName: new("desk")})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "LIVEKIT_URL") {
		t.Errorf("got %v", err)
	}
}
