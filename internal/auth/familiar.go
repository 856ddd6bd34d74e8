package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"parley/internal/database"
)

// A network is familiar to an account that signed in from it before. Guesses from elsewhere neither lock the account there
// nor go before it.

const (
	// familiarFor is how long after its last sign-in a network is familiar.
	familiarFor = 90 * 24 * time.Hour
	// maxFamiliar limits the networks of an account: the latest ones.
	maxFamiliar = 20
)

// familiarNetwork returns the stored form of a network of a user. It is keyed with the server's secret, so that the address cannot
// be derived from it.
func (s *Service) familiarNetwork(userID string, from netip.Addr) []byte {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte("familiar network\n" + userID + "\n" + network(from)))
	return mac.Sum(nil)
}

// account returns the user with an email key, without an id for none, and whether the client's network is familiar. It makes the
// same queries in both cases.
func (s *Service) account(ctx context.Context, key string, from netip.Addr) (u *User, familiar bool, err error) {
	u = new(User)
	err = s.db.System().Queued(strangers).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tx.NewSelect().Model(u).Where("email_key = ?", key).Scan(ctx); err != nil && !database.NoRows(err) {
			return err
		}
		id := u.ID
		if id == "" {
			id = uuid.Nil.String()
		}
		return tx.NewRaw("SELECT EXISTS (SELECT 1 FROM familiar_networks WHERE user_id = ? AND network = ? AND seen_at > ?)",
			id, s.familiarNetwork(id, from), tx.Now().Add(-familiarFor)).Scan(ctx, &familiar)
	})
	if err != nil {
		return nil, false, fmt.Errorf("find user: %w", err)
	}
	return u, familiar && from.IsValid(), nil
}

// rememberNetwork makes the network of a sign-in familiar, and forgets old ones.
func (s *Service) rememberNetwork(ctx context.Context, tx database.Tx, u *User, from netip.Addr) error {
	if !from.IsValid() {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO familiar_networks (user_id, network, tenant_id, seen_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (user_id, network) DO UPDATE SET seen_at = excluded.seen_at`, u.ID, s.familiarNetwork(u.ID, from), u.TenantID, tx.Now()); err != nil {
		return fmt.Errorf("remember the network of a sign-in: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM familiar_networks WHERE user_id = ? AND (seen_at < ?
		OR network NOT IN (SELECT network FROM familiar_networks WHERE user_id = ? ORDER BY seen_at DESC LIMIT ?))`,
		u.ID, tx.Now().Add(-familiarFor), u.ID, maxFamiliar); err != nil {
		return fmt.Errorf("forget networks of sign-ins: %w", err)
	}
	return nil
}
