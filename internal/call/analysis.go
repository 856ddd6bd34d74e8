package call

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/analysis"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/plan"
	"parley/internal/redact"
)

// enqueueAnalyses writes the pending analyses of a call that ends, whose plan has been read. A plan that cannot be decoded has none: it
// must not keep the call from ending.
func (s *Service) enqueueAnalyses(ctx context.Context, tx database.Tx, c *Call) error {
	a, err := plan.DecodeAnalyses(c.Plan, c.AgentHistory)
	if err != nil || len(a.Names) == 0 {
		return nil //nolint:nilerr // as said above
	}
	n, err := analysis.Enqueue(ctx, tx, analysis.Order{TenantID: c.TenantID, CallID: c.ID, Livemode: c.Livemode, Names: a.Names, LLM: a.LLM})
	if n > 0 {
		tx.AfterCommit(func() { s.bus.Publish(event.Analyses, "") })
	}
	return err
}

// AnalysisInput is what the analyses of an ended call see. In a call that is redacted, or kept from models, it is.
type AnalysisInput struct {
	Facts      analysis.Facts
	Transcript []analysis.Entry
	Redacted   bool
}

// AnalysisInput returns what the analyses of a call see; not_found without the call.
func (s *Service) AnalysisInput(ctx context.Context, tenantID, id string) (in AnalysisInput, err error) {
	c, err := s.Get(ctx, tenantID, id)
	if err != nil {
		return in, err
	}
	if in.Redacted, err = s.needsRedaction(ctx, c); err != nil {
		return in, err
	}
	if !in.Redacted {
		if in.Redacted, err = s.hidesFromModels(ctx, c); err != nil {
			return in, err
		}
	}
	in.Facts = analysis.Facts{DurationSeconds: c.DurationSeconds, Direction: c.Direction}
	if c.StatusReason != nil {
		in.Facts.Reason = string(*c.StatusReason)
	}
	if c.AnsweredBy != nil {
		in.Facts.AnsweredBy = string(c.AnsweredBy.Class)
	}
	entries, err := s.Transcript(ctx, tenantID, id)
	if err != nil {
		return in, err
	}
	for _, e := range entries {
		if in.Redacted { // it may have been stored before redaction was switched on
			e.Content, e.ToolCall = redactEntry(e.Content, e.DTMF), redact.JSON(e.ToolCall)
		}
		if entry, ok := e.forAnalysis(); ok {
			in.Transcript = append(in.Transcript, entry)
		}
	}
	return in, nil
}

// hidesFromModels reports whether an agent that held the call keeps what the caller says from language models.
func (s *Service) hidesFromModels(ctx context.Context, c *Call) (hides bool, err error) {
	err = s.db.Tenant(c.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return readPlans(ctx, tx, c)
	})
	if err != nil {
		return false, err
	}
	return plan.HidesFromModels(c.Plan, c.AgentHistory)
}

// forAnalysis returns an entry as language models receive it, false for one that says nothing of the call.
func (e TranscriptEntry) forAnalysis() (entry analysis.Entry, ok bool) {
	entry = analysis.Entry{ID: e.ID, Text: e.Content}
	if e.AgentName != nil {
		entry.Agent = *e.AgentName
	}
	switch {
	case e.ToolCall != nil:
		var called struct {
			Name      string
			Arguments json.RawMessage
			Answer    string
			Phase     string
		}
		if json.Unmarshal(e.ToolCall, &called) != nil || called.Phase == "started" {
			return entry, false // its end has an entry, too
		}
		entry.Speaker, entry.Tool, entry.Arguments, entry.Result = analysis.Tool, called.Name, called.Arguments, called.Answer
	case e.Role == "user":
		entry.Speaker = analysis.Caller
	case e.Role == "assistant":
		entry.Speaker = analysis.Agent
	default:
		return entry, false
	}
	return entry, entry.Text != "" || entry.Tool != ""
}

// AnalysisResult is the result of an attempt at an analysis.
type AnalysisResult struct {
	*analysis.OfCall
	Wait  time.Duration // until the next attempt of one that is still pending
	Usage []cost.Usage  // of the language model
}

// RecordAnalysis writes a result, what it cost, and with the last one of a call the event call.analyzed. It does nothing if the holder
// has lost its lease, or the call's content was deleted.
func (s *Service) RecordAnalysis(ctx context.Context, holder string, r AnalysisResult) error {
	return s.db.Tenant(r.TenantID).Queued(analysis.Writes).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := lockCall(ctx, tx, r.CallID)
		if fault.Is(err, fault.NotFound) || err == nil && !c.PurgedAt.IsZero() {
			return nil
		}
		if err != nil {
			return err
		}
		replaced := r.Previous
		r.Data = sanitizeJSON(r.Data)
		if written, err := analysis.Finish(ctx, tx, holder, r.OfCall, c.origin(), r.Wait); err != nil || !written {
			return err
		}
		more, err := s.addUsage(ctx, tx, c, r.Usage)
		if err != nil {
			return err
		}
		before := c.StoredBytes
		if r.Status != analysis.Pending {
			c.StoredBytes += r.Size()
			if replaced == nil {
				c.StoredBytes += rowBytes
			} else {
				c.StoredBytes -= replaced.Size
			}
			if err := s.announceAnalyses(ctx, tx, c); err != nil {
				return err
			}
		}
		s.countStored(tx, c, before)
		if _, err = tx.NewUpdate().Model(c).Column("stored_bytes", "metrics", "cost").WherePK().Exec(ctx); err != nil || more.IsZero() {
			return err
		}
		if err := analysis.AddCost(ctx, tx, r.ID, cost.ToPico(more)); err != nil {
			return err
		}
		return s.spend(ctx, tx, c, more)
	})
}

// origin returns which calls the answers of the call's analyses count for.
func (c *Call) origin() analysis.Origin {
	of := analysis.Origin{At: c.listedAt()}
	if len(c.AgentHistory) > 0 {
		of.Agent = c.AgentHistory[len(c.AgentHistory)-1]
	}
	if c.WorkflowSlug != nil {
		of.Workflow = *c.WorkflowSlug
	}
	return of
}

// addUsage adds what was used after the call's end to its metrics and its cost, and returns the known cost of it.
func (s *Service) addUsage(ctx context.Context, tx database.Tx, c *Call, used []cost.Usage) (added decimal.Decimal, err error) {
	if len(used) == 0 {
		return added, nil
	}
	c.Metrics.Usage = cost.Add(c.Metrics.Usage, used...)
	if s.options.Prices == nil {
		return added, nil
	}
	tariff, err := s.tariff(ctx, tx, c)
	if err != nil {
		return added, err
	}
	total, more := tariff.Of(c.used(c.DurationSeconds)), tariff.Of(used)
	c.Cost = &total
	return more.Known, storeCost(ctx, tx, c, more.Items, more.Currency)
}

// announceAnalyses appends the event call.analyzed when no analysis of the call is pending.
func (s *Service) announceAnalyses(ctx context.Context, tx database.Tx, c *Call) error {
	results, err := analysis.Results(ctx, tx, c.ID)
	if err != nil {
		return err
	}
	analyses := make([]analysis.Summary, len(results))
	for n, r := range results {
		if r.Status == analysis.Pending {
			return nil
		}
		analyses[n] = r.Summary()
	}
	c.StoredBytes += c.eventBytes()
	if err := s.appendEvent(ctx, tx, c, event.CallAnalyzed, map[string]any{"analyses": analyses}); err != nil {
		return fmt.Errorf("announce analyses: %w", err)
	}
	return nil
}

// Analyses returns the analyses of a call and their results; not_found without the call.
func (s *Service) Analyses(ctx context.Context, tenantID, id string) (results []analysis.OfCall, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := exists(ctx, tx, id); err != nil {
			return err
		}
		results, err = analysis.Results(ctx, tx, id)
		return err
	})
	return results, err
}
