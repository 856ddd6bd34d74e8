package sip

import (
	"context"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// Messages of refused calls belong to their number, are read by its tenant alone, and are deleted after a day.
func TestMessages(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		own := trunk(t, s, "own", false)
		n, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: "+4930123456", WorkflowSlug: new("flow"), TrunkID: &own.ID})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now().UTC().Truncate(time.Millisecond)
		message := func(at time.Time, line string) Message {
			return Message{TenantID: acme, PhoneNumberID: &n.ID, SIPCallID: "1", Transport: UDP, Peer: "192.0.2.1:5060", StartLine: line, Text: line, CreatedAt: at}
		}
		if err := WriteMessages(ctx, db, []Message{message(now, "second"), message(now.Add(-time.Minute), "first"), message(now.Add(-25*time.Hour), "old")}); err != nil {
			t.Fatal(err)
		}
		if deleted, err := PruneMessages(ctx, db); err != nil || deleted != 1 {
			t.Errorf("%d deleted, %v", deleted, err)
		}
		got, err := s.RefusedMessages(ctx, n.ID)
		if err != nil || len(got) != 2 || got[0].StartLine != "first" || got[1].StartLine != "second" || !got[1].CreatedAt.Equal(now) || got[0].CallID != nil {
			t.Errorf("got %+v, %v", got, err)
		}
		if _, err := foreign.RefusedMessages(ctx, n.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant: %v", err)
		}
		if got, err := s.CallMessages(ctx, n.ID); err != nil || len(got) != 0 {
			t.Errorf("as a call's: %v, %v", got, err)
		}
	})
}
