package call

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"parley/internal/audio"
	"parley/internal/database"
	"parley/internal/event"
)

// TimelineItem is one entry of a call's timeline. Exactly one of its pointers is not nil.
type TimelineItem struct {
	At       time.Time
	Status   *StatusChange
	Handoff  *Handoff
	Routing  *RoutingDecision
	Language *LanguageChange
	Answer   *Answer
	Transfer *TransferStep
	Control  *Control
	ToolCall *TranscriptEntry
	Turn     *Turn
	Error    *ErrorItem
	Incident *Incident
	Quality  *audio.Quality
}

// StatusChange is a change of a call's state, as in its event.
type StatusChange struct {
	Status Status  `json:"status"`
	Reason *Reason `json:"status_reason"`
	// SIPStatus is the SIP status with which dialling failed; nil for none.
	SIPStatus *int `json:"sip_status"`
}

// Timeline returns the timeline of a call, in order. At equal times, non-terminal changes of state come first and
// terminal ones last.
func (s *Service) Timeline(ctx context.Context, tenantID, id string) (items []TimelineItem, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := exists(ctx, tx, id); err != nil {
			return err
		}
		events, err := event.OfCall(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, e := range events {
			if e.Type == event.CallHeld || e.Type == event.CallResumed || e.Type == event.CallAnalyzed {
				continue // incidents, below; analyses are read by Analyses
			}
			item := TimelineItem{At: e.Created}
			phase, ofTransfer := transferPhase(e.Type)
			switch {
			case ofTransfer:
				item.Transfer, err = readTransfer(phase, e.Data)
			case e.Type == event.CallLanguageChanged:
				var changed struct {
					Language string
					Previous string `json:"previous_language"`
				}
				err = json.Unmarshal(e.Data, &changed)
				item.Language = &LanguageChange{Language: changed.Language, Previous: changed.Previous}
			case e.Type == event.CallAnsweredBy:
				item.Answer, err = readAnswer(e.Data)
			case e.Type == event.CallAgentChanged:
				var changed struct {
					Agent    string
					Previous string `json:"previous_agent"`
				}
				err = json.Unmarshal(e.Data, &changed)
				item.Handoff = &Handoff{Agent: changed.Agent, Previous: changed.Previous}
			default:
				item.Status = new(StatusChange)
				err = json.Unmarshal(e.Data, item.Status)
			}
			if err != nil {
				return fmt.Errorf("read event %s: %w", e.Type, err)
			}
			items = append(items, item)
		}
		var entries []TranscriptEntry
		var turns []Turn
		var problems []ErrorItem
		var incidents []Incident
		if err := tx.NewSelect().Model(&entries).Where("tenant_id = ? AND call_id = ? AND tool_call IS NOT NULL", tenantID, id).OrderExpr("id").Scan(ctx); err != nil {
			return err
		}
		if err := tx.NewSelect().Model(&turns).Where("tenant_id = ? AND call_id = ?", tenantID, id).OrderExpr("id").Scan(ctx); err != nil {
			return err
		}
		if err := tx.NewSelect().Model(&problems).Where("tenant_id = ? AND call_id = ?", tenantID, id).OrderExpr("id").Scan(ctx); err != nil {
			return err
		}
		if err := tx.NewSelect().Model(&incidents).Where("tenant_id = ? AND call_id = ?", tenantID, id).OrderExpr("id").Scan(ctx); err != nil {
			return err
		}
		var decisions []RoutingDecision
		if err := tx.NewSelect().Model(&decisions).Where("tenant_id = ? AND call_id = ?", tenantID, id).OrderExpr("id").Scan(ctx); err != nil {
			return err
		}
		for i := range decisions {
			items = append(items, TimelineItem{At: decisions[i].CreatedAt, Routing: &decisions[i]})
		}
		var controls []Control
		if err := tx.NewSelect().Model(&controls).ExcludeColumn("body").Where("tenant_id = ? AND call_id = ?", tenantID, id).OrderExpr("created_at, id").Scan(ctx); err != nil {
			return err
		}
		for i := range controls {
			items = append(items, TimelineItem{At: controls[i].CreatedAt, Control: &controls[i]})
		}
		var measured Call
		if err := tx.NewSelect().Model(&measured).Column("tenant_id", "quality", "started_at", "created_at").Where("tenant_id = ? AND id = ?", tenantID, id).Scan(ctx); err != nil {
			return err
		}
		if err := s.priceTurns(ctx, tx, &measured, turns); err != nil {
			return err
		}
		if q := measured.Quality; q != nil {
			items = append(items, TimelineItem{At: q.MeasuredAt, Quality: q})
		}
		for i := range entries {
			items = append(items, TimelineItem{At: entries[i].CreatedAt, ToolCall: &entries[i]})
		}
		for i := range turns {
			items = append(items, TimelineItem{At: turns[i].CreatedAt, Turn: &turns[i]})
		}
		for i := range problems {
			items = append(items, TimelineItem{At: problems[i].CreatedAt, Error: &problems[i]})
		}
		for i := range incidents {
			if incidents[i].Cause == PersonDialled {
				continue // its events are above
			}
			items = append(items, TimelineItem{At: incidents[i].CreatedAt, Incident: &incidents[i]})
		}
		return nil
	})
	slices.SortStableFunc(items, func(a, b TimelineItem) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.rank(), b.rank()))
	})
	return items, err
}

// rank orders items of the same time.
func (item TimelineItem) rank() int {
	switch {
	case item.Status == nil:
		return 1
	case item.Status.Status.Terminal():
		return 2
	}
	return 0
}
