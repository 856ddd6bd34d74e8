package signing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
)

// readAgain is how long a signer uses what it has read: a rotation applies to requests within that.
const readAgain = 10 * time.Second

// ErrNone is the error of a signer without a secret.
var ErrNone = errors.New("the tenant has no signing secret")

// Signer signs requests for a purpose with a tenant's secrets, by the database's clock. While the database is away it signs with what it
// has read before, or not at all: a receiver that verifies refuses the request. It is safe for concurrent use.
type Signer struct {
	scope   database.Scope
	sealer  *seal.Sealer
	purpose Purpose

	mu     sync.Mutex
	secret *Secret // nil for none
	read   time.Time
	ahead  time.Duration // of the database's clock
}

// NewSigner returns a signer.
func NewSigner(scope database.Scope, sealer *seal.Sealer, purpose Purpose) *Signer {
	return &Signer{scope: scope, sealer: sealer, purpose: purpose}
}

// Sign returns the signature of a content, or ErrNone. Other errors are worded for the tenant.
func (s *Signer) Sign(ctx context.Context, content []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.read) >= readAgain {
		_ = s.refresh(ctx) // else with what was read before
	}
	if s.secret == nil {
		return "", ErrNone
	}
	now := time.Now().Add(s.ahead)
	secrets, err := s.secret.valid(s.sealer, now)
	if err != nil {
		return "", fmt.Errorf("the signing secret of %s was sealed with an encryption key that is gone: rotate it", s.purpose)
	}
	return Signature(secrets, now, content), nil
}

func (s *Signer) refresh(ctx context.Context) error {
	return s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := find(ctx, tx, s.purpose, false)
		var f *fault.Error
		if err != nil && (!errors.As(err, &f) || f.Code != fault.NotFound) {
			return err
		}
		s.secret, s.read, s.ahead = r, time.Now(), time.Until(tx.Now())
		return nil
	})
}
