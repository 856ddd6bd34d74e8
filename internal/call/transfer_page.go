package call

import (
	"context"
	"encoding/json"
	"errors"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/redact"
	"parley/internal/seal"
	"parley/internal/transferpage"
)

// updatePage does to the person's page what a step of the transfer means to it, and returns the page if the step's event refers to it.
func (s *Service) updatePage(ctx context.Context, tx database.Tx, c *Call, step TransferStep) (*transferpage.Page, error) {
	switch step.Phase {
	case TransferStarted:
		return transferpage.Create(ctx, tx, s.sealer, transferpage.Draft{CallID: c.ID, Livemode: c.Livemode, Mode: step.Mode, Summary: step.Summary})
	case TransferAnswered:
		return transferpage.Advance(ctx, tx, c.ID, transferpage.Answered)
	case TransferConnected:
		return transferpage.Advance(ctx, tx, c.ID, transferpage.Connected)
	case TransferSummarised:
		return nil, transferpage.Summarise(ctx, tx, c.ID, step.Summary)
	case TransferBroken:
		return nil, transferpage.End(ctx, tx, c.ID)
	}
	return nil, nil
}

// OpenPage opens the page of a transfer with the secret of its link, and returns the session that may read it. opening runs in the same
// transaction. The errors are those of transferpage.Open.
func (s *Service) OpenPage(ctx context.Context, id, secret string, opening OnOpen) (session string, err error) {
	_, session, err = transferpage.Open(ctx, s.db, id, secret, func(ctx context.Context, tx database.Tx, p *transferpage.Page) error {
		c, err := lockCall(ctx, tx, p.CallID)
		if err != nil {
			return err
		}
		if err := s.writeIncidents(ctx, tx, c, []Incident{{Type: PageOpened, CreatedAt: tx.Now()}}); err != nil {
			return err
		}
		return opening(ctx, tx, p)
	})
	return session, err
}

// OnOpen runs in the transaction in which a page is opened.
type OnOpen func(ctx context.Context, tx database.Tx, p *transferpage.Page) error

// Page returns the page that a session may read. The errors are those of transferpage.Authenticate.
func (s *Service) Page(ctx context.Context, id, session string) (*transferpage.Page, error) {
	return transferpage.Authenticate(ctx, s.db, id, session)
}

// PageCall is what the page of a transfer shows of its call, besides the transcript.
type PageCall struct {
	Summary     string          // "" until it is known; masked in a call that is redacted
	PhoneNumber *string         // the caller's, in an outbound call the callee's; masked in a call that is redacted
	CallerName  *string         // nil also in a call that is redacted
	Agent       string          // who has, or had, the call; "" for nobody yet
	UserContext json.RawMessage // an object, masked in a call that is redacted; nil for none
}

// OfPage returns what a page shows of its call.
func (s *Service) OfPage(ctx context.Context, p *transferpage.Page) (*PageCall, error) {
	c, err := s.Get(ctx, p.TenantID, p.CallID)
	if err != nil {
		return nil, err
	}
	redacts, err := s.needsRedaction(ctx, c)
	if err != nil {
		return nil, err
	}
	shown := &PageCall{Summary: p.Summary, PhoneNumber: c.PhoneNumber, CallerName: c.CallerName}
	if redacts {
		shown.Summary, shown.CallerName = redact.Text(p.Summary), nil
		if c.PhoneNumber != nil {
			shown.PhoneNumber = new(redact.Phone)
		}
	}
	switch {
	case c.CurrentAgent != nil:
		shown.Agent = *c.CurrentAgent
	case len(c.AgentHistory) > 0:
		shown.Agent = c.AgentHistory[len(c.AgentHistory)-1]
	}
	shown.UserContext, err = EventExtras{Calls: s}.Context(ctx, p.TenantID, p.CallID)
	if fault.Is(err, fault.NotFound) || errors.Is(err, seal.ErrOpen) { // as webhooks leave it out
		err = nil
	}
	return shown, err
}
