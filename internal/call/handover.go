package call

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/redact"
	"parley/internal/transfer"
)

// TransferPhase is a step of a transfer to a person that is recorded.
type TransferPhase string

// The phases.
const (
	TransferStarted   TransferPhase = "started"   // a person's phone is dialled
	TransferAnswered  TransferPhase = "answered"  // it was answered
	TransferConnected TransferPhase = "completed" // caller and person hear each other
	TransferBroken    TransferPhase = "failed"    // the person was not reached, or not connected
	// TransferSummarised is that the summary is known, which the person's page shows; it has no event.
	TransferSummarised TransferPhase = "summarised"
)

// transferEvents are the events of the phases.
var transferEvents = map[TransferPhase]string{
	TransferStarted: event.CallTransferStarted, TransferAnswered: event.CallTransferAnswered,
	TransferConnected: event.CallTransferCompleted, TransferBroken: event.CallTransferFailed,
}

// TransferStep is a step of a transfer to a person, as in its event.
type TransferStep struct {
	Phase     TransferPhase   `json:"phase"`
	Mode      transfer.Mode   `json:"mode"`
	To        string          `json:"to"`                // number or SIP URI that is dialled
	Attempt   int             `json:"attempt"`           // which of the targets it is, from 1
	Attempts  int             `json:"attempts"`          // the number of targets
	Reason    transfer.Reason `json:"reason,omitempty"`  // of TransferBroken
	SIPStatus *int            `json:"sip_status"`        // of TransferBroken: the final status of the person's phone; nil for none
	Summary   string          `json:"summary,omitempty"` // of TransferConnected: what the person has heard; with a page also of TransferStarted and TransferSummarised
	Page      bool            `json:"-"`                 // the person gets a page
}

// applyTransfers appends an event for each step.
func (s *Service) applyTransfers(ctx context.Context, tx database.Tx, c *Call, steps []TransferStep) error {
	for _, step := range steps {
		data := map[string]any{"mode": step.Mode, "to": step.To, "attempt": step.Attempt, "attempts": step.Attempts}
		switch step.Phase {
		case TransferBroken:
			data["reason"], data["sip_status"] = step.Reason, step.SIPStatus
		case TransferConnected:
			data["summary"] = step.Summary
		}
		if step.Page || step.Phase == TransferBroken {
			page, err := s.updatePage(ctx, tx, c, step)
			if err != nil {
				return err
			}
			if page != nil {
				data["page_id"], data["page_expires_at"] = page.ID, event.Stamp(page.ExpiresAt)
			}
		}
		if step.Phase == TransferSummarised {
			continue
		}
		c.Metrics.Transfers++
		if err := s.appendEvent(ctx, tx, c, transferEvents[step.Phase], data); err != nil {
			return err
		}
	}
	return nil
}

// redact masks the number and what the person has heard.
func (s *TransferStep) redact() {
	s.Summary = redact.Text(s.Summary)
	if s.To != "" {
		s.To = redact.Phone
	}
}

// transferPhase returns the phase that an event reports.
func transferPhase(name string) (phase TransferPhase, ok bool) {
	for phase, of := range transferEvents {
		if of == name {
			return phase, true
		}
	}
	return "", false
}

// readTransfer reads a step from its event.
func readTransfer(phase TransferPhase, data json.RawMessage) (*TransferStep, error) {
	step := new(TransferStep)
	if err := json.Unmarshal(data, step); err != nil {
		return nil, fmt.Errorf("read a transfer: %w", err)
	}
	step.Phase = phase
	return step, nil
}
