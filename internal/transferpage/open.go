package transferpage

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
)

// Link returns the secret of the link that opens a page. An error not_found says that the link opens nothing any more; seal.ErrOpen, that
// this node cannot decrypt the secret.
func Link(ctx context.Context, scope database.Scope, sealer *seal.Sealer, id string) (secret string, err error) {
	p := new(Page)
	var now time.Time
	err = scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		now = tx.Now()
		return tx.NewSelect().Model(p).Where("tenant_id = ? AND id = ?", tx.TenantID(), id).Scan(ctx)
	})
	if database.NoRows(err) || err == nil && (len(p.Secret) == 0 || p.refusal(now) != nil) {
		return "", fault.Missing("link")
	}
	if err != nil {
		return "", fmt.Errorf("read a transfer's page: %w", err)
	}
	plain, err := sealer.Open(p.Secret, p.place())
	if err != nil {
		return "", fmt.Errorf("link of a transfer's page: %w", err)
	}
	return string(plain), nil
}

// refusal returns why a link does not open the page at a time; nil if it does.
func (p *Page) refusal(now time.Time) error {
	switch {
	case !p.OpenedAt.IsZero():
		return errUsed
	case !p.EndedAt.IsZero(), !p.ClosesAt.IsZero():
		return errOver
	case !now.Before(p.ExpiresAt):
		return errExpired
	}
	return nil
}

// Open opens a page with the secret of its link, and returns the session that may read it. opening runs in the same transaction, before the
// page is locked, so that it may lock the call, as all others do who change the page. Errors:
// authentication_error for an unknown page or another secret, token_expired, key_revoked when transfer or call are over, conflict when
// the page was opened before.
func Open(ctx context.Context, db *database.DB, id, secret string, opening func(ctx context.Context, tx database.Tx, p *Page) error) (p *Page, session string, err error) {
	p, now, err := find(ctx, db, id)
	if err != nil {
		return nil, "", err
	}
	if !matches(p.Hash, secret) {
		return nil, "", errUnknown
	}
	if err := p.refusal(now); err != nil {
		return nil, "", err
	}
	session = newSecret()
	err = db.Tenant(p.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := opening(ctx, tx, p); err != nil {
			return err
		}
		found := new(Page)
		err := tx.NewRaw(`UPDATE transfer_pages SET opened_at = ?, session_hash = ?, secret = ?
			WHERE tenant_id = ? AND id = ? AND opened_at IS NULL AND ended_at IS NULL AND closes_at IS NULL AND expires_at > ? RETURNING *`,
			tx.Now(), digest(session), []byte{}, p.TenantID, p.ID, tx.Now()).Scan(ctx, found)
		if database.NoRows(err) { // another request was first, or it is over since
			if err := tx.NewSelect().Model(p).WherePK().Scan(ctx); err != nil {
				return err
			}
			return p.refusal(tx.Now())
		}
		if err != nil {
			return fmt.Errorf("open a transfer's page: %w", err)
		}
		p = found
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	return p, session, nil
}

// Authenticate returns the page that a session may read, whose id the request names. Errors: authentication_error for another session,
// key_revoked when the transfer has failed, or the call has ended Grace ago.
func Authenticate(ctx context.Context, db *database.DB, id, session string) (*Page, error) {
	p, now, err := find(ctx, db, id)
	if err != nil {
		return nil, err
	}
	if !matches(p.SessionHash, session) {
		return nil, errUnknown
	}
	if !p.EndedAt.IsZero() || !p.ClosesAt.IsZero() && !now.Before(p.ClosesAt) {
		return nil, errOver
	}
	return p, nil
}

// find reads a page, and the database's time.
func find(ctx context.Context, db *database.DB, id string) (p *Page, now time.Time, err error) {
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return nil, now, errUnknown
	}
	p = new(Page)
	// All that the public can ask shares one share of the connections.
	err = db.System().Queued("public").Read(ctx, func(ctx context.Context, tx database.Tx) error {
		now = tx.Now()
		return tx.NewSelect().Model(p).Where("id = ?", id).Scan(ctx)
	})
	if database.NoRows(err) {
		return nil, now, errUnknown
	}
	if err != nil {
		return nil, now, fmt.Errorf("read a transfer's page: %w", err)
	}
	return p, now, nil
}
