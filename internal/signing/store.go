package signing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
)

// Purpose is what a secret signs.
type Purpose string

// The purposes.
const (
	Tools     Purpose = "tools"      // requests of tools
	CallHooks Purpose = "call_hooks" // requests before calls
)

// Purposes are all purposes, with the prefixes of their secrets.
var Purposes = map[Purpose]string{Tools: "tlsec_", CallHooks: "chsec_"}

// MaxOverlap limits how long a rotated secret remains valid.
const MaxOverlap = 24 * time.Hour

// Secret is a tenant's secret for a purpose, without the secret itself.
type Secret struct {
	bun.BaseModel `bun:"table:signing_secrets,alias:s"`

	TenantID       string       `bun:"tenant_id,pk"`
	ID             string       `bun:"id"`
	Purpose        Purpose      `bun:"purpose,pk"`
	Sealed         []byte       `bun:"secret"`
	PreviousSealed []byte       `bun:"previous_secret"`
	PreviousUntil  bun.NullTime `bun:"previous_until"`
	CreatedAt      time.Time    `bun:"created_at"`
	UpdatedAt      time.Time    `bun:"updated_at"` // of the last rotation
}

func (s *Secret) place() seal.Place {
	return seal.Place{Table: "signing_secrets", Row: string(s.Purpose), Tenant: s.TenantID}
}

// Store keeps a tenant's secrets.
type Store struct {
	scope  database.Scope
	sealer *seal.Sealer
}

// In returns the store of a tenant's secrets.
func In(scope database.Scope, sealer *seal.Sealer) Store { return Store{scope, sealer} }

// List returns the secrets that there are.
func (s Store) List(ctx context.Context) (secrets []Secret, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(&secrets).Where("tenant_id = ?", tx.TenantID()).Order("purpose").Scan(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("list signing secrets: %w", err)
	}
	return secrets, nil
}

// Rotate replaces the secret for a purpose, or makes the first one, and returns the new one. For overlap, at most MaxOverlap, requests are
// also signed with the old one.
func (s Store) Rotate(ctx context.Context, purpose Purpose, overlap time.Duration) (r *Secret, plain string, err error) {
	prefix, known := Purposes[purpose]
	if !known {
		return nil, "", fault.Missing("signing secret")
	}
	if overlap < 0 || overlap > MaxOverlap {
		return nil, "", fault.Invalid([]fault.Detail{{Field: "overlap_seconds", Message: fmt.Sprintf("must be from 0 to %d", int(MaxOverlap.Seconds()))}})
	}
	plain = NewSecret(prefix)
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r = &Secret{TenantID: tx.TenantID(), ID: uuid.Must(uuid.NewV7()).String(), Purpose: purpose, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		r.Sealed = s.sealer.Seal([]byte(plain), r.place())
		result, err := tx.NewInsert().Model(r).On("CONFLICT DO NOTHING").Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return err
		}
		sealed := r.Sealed
		if r, err = find(ctx, tx, purpose, true); err != nil {
			return err
		}
		r.PreviousSealed, r.PreviousUntil = nil, bun.NullTime{}
		if overlap > 0 {
			r.PreviousSealed, r.PreviousUntil = r.Sealed, bun.NullTime{Time: tx.Now().Add(overlap)}
		}
		r.Sealed, r.UpdatedAt = sealed, tx.Now()
		_, err = tx.NewUpdate().Model(r).Column("secret", "previous_secret", "previous_until", "updated_at").WherePK().Exec(ctx)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("rotate signing secret: %w", err)
	}
	return r, plain, nil
}

// Delete removes the secret for a purpose: requests are no longer signed.
func (s Store) Delete(ctx context.Context, purpose string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := find(ctx, tx, Purpose(purpose), true)
		if err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model(r).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("delete signing secret: %w", err)
		}
		return nil
	})
}

// find returns the secret of the transaction's tenant for a purpose, locked until the transaction ends if it will be changed; not_found
// without one.
func find(ctx context.Context, tx database.Tx, purpose Purpose, changes bool) (*Secret, error) {
	r := new(Secret)
	query := tx.NewSelect().Model(r).Where("tenant_id = ? AND purpose = ?", tx.TenantID(), string(purpose))
	if changes && tx.Postgres() {
		query.For("UPDATE")
	}
	err := query.Scan(ctx)
	if database.NoRows(err) {
		return nil, fault.Missing("signing secret")
	}
	if err != nil {
		return nil, fmt.Errorf("read signing secret: %w", err)
	}
	if changes {
		database.SetChanged(ctx, r)
	}
	return r, nil
}

// valid returns the secrets that are valid at a time, the current one first.
func (s *Secret) valid(sealer *seal.Sealer, now time.Time) ([]string, error) {
	current, err := sealer.Open(s.Sealed, s.place())
	if err != nil {
		return nil, err
	}
	secrets := []string{string(current)}
	if len(s.PreviousSealed) > 0 && now.Before(s.PreviousUntil.Time) {
		previous, err := sealer.Open(s.PreviousSealed, s.place())
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, string(previous))
	}
	return secrets, nil
}
