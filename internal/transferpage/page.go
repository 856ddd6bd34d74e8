// Package transferpage stores the pages of persons to whom callers are transferred. A link, which a webhook carries, opens a page once;
// the browser that opened it holds a session, which may read that one call.
package transferpage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/transfer"
)

// Path is the path of the pages on the server, before their ids.
const Path = "/transfer/"

const (
	// LinkLife is how long after it was made a link opens its page.
	LinkLife = 15 * time.Minute
	// Grace is how long a page that was opened can be read when its call has ended.
	Grace = 15 * time.Minute
	// kept is how long a row is kept after it was made: longer than any call and its Grace.
	kept = 48 * time.Hour

	secretBytes = 24 // 192 bits, of links and sessions
)

// Phase is the progress of the person in the transfer.
type Phase string

// The phases.
const (
	Dialled   Phase = "dialled"
	Answered  Phase = "answered"
	Connected Phase = "connected" // caller and person hear each other
)

// Page is the page of one person.
type Page struct {
	bun.BaseModel `bun:"table:transfer_pages,alias:p"`

	TenantID    string        `bun:"tenant_id"`
	ID          string        `bun:"id,pk"`
	CallID      string        `bun:"call_id"`
	Livemode    bool          `bun:"livemode"` // the call's
	Hash        []byte        `bun:"hash"`     // SHA-256 of the link's secret
	Secret      []byte        `bun:"secret"`   // the link's secret, encrypted; empty once the page was opened
	SessionHash []byte        `bun:"session_hash,nullzero"`
	Mode        transfer.Mode `bun:"mode"`
	Phase       Phase         `bun:"phase"`
	Summary     string        `bun:"summary"` // "" until it is known
	CreatedAt   time.Time     `bun:"created_at"`
	ExpiresAt   time.Time     `bun:"expires_at"` // of the link
	OpenedAt    time.Time     `bun:"opened_at,nullzero"`
	ClosesAt    time.Time     `bun:"closes_at,nullzero"` // Grace after the end of the call; zero until then
	EndedAt     time.Time     `bun:"ended_at,nullzero"`  // when the person was not reached, or was lost
}

// What a link or a session is refused for. Without the secret nobody learns whether a page exists.
var (
	errUnknown = fault.New(fault.Authentication, "the link is not valid")
	errExpired = fault.New(fault.TokenExpired, "the link has expired")
	errOver    = fault.New(fault.KeyRevoked, "the transfer, or the call, is over")
	errUsed    = fault.New(fault.Conflict, "the link was already used")
)

// Draft is a page to be.
type Draft struct {
	CallID   string
	Livemode bool
	Mode     transfer.Mode
	Summary  string // "" while it is not known
}

// Create stores the page of a person who is dialled now, in place of any other of the call.
func Create(ctx context.Context, tx database.Tx, sealer *seal.Sealer, d Draft) (*Page, error) {
	if err := End(ctx, tx, d.CallID); err != nil {
		return nil, err
	}
	secret, now := newSecret(), tx.Now()
	p := &Page{TenantID: tx.TenantID(), ID: uuid.NewString(), CallID: d.CallID, Livemode: d.Livemode, Hash: digest(secret), Mode: d.Mode, Phase: Dialled, Summary: d.Summary,
		CreatedAt: now, ExpiresAt: now.Add(LinkLife)}
	p.Secret = sealer.Seal([]byte(secret), p.place())
	if _, err := tx.NewInsert().Model(p).Exec(ctx); err != nil {
		return nil, fmt.Errorf("create a transfer's page: %w", err)
	}
	return p, nil
}

// Advance sets the phase of a call's page and returns the page; nil if the call has none.
func Advance(ctx context.Context, tx database.Tx, callID string, phase Phase) (*Page, error) {
	p := new(Page)
	err := tx.NewRaw("UPDATE transfer_pages SET phase = ? WHERE tenant_id = ? AND call_id = ? AND ended_at IS NULL RETURNING *", phase, tx.TenantID(), callID).Scan(ctx, p)
	if database.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("advance a transfer's page: %w", err)
	}
	return p, nil
}

// Summarise sets the summary of a call's page.
func Summarise(ctx context.Context, tx database.Tx, callID, summary string) error {
	return update(ctx, tx, "summary = ? WHERE tenant_id = ? AND call_id = ? AND ended_at IS NULL", summary, tx.TenantID(), callID)
}

// End ends the pages of a call whose persons are not in it: they show nothing any more. tx may be of the system.
func End(ctx context.Context, tx database.Tx, callIDs ...string) error {
	return update(ctx, tx, "ended_at = ?, secret = ? WHERE call_id IN (?) AND ended_at IS NULL", tx.Now(), []byte{}, bun.List(callIDs))
}

// CallEnded closes the page of a call that ends: its link opens nothing any more. A person who was connected may read it for Grace, any other
// nothing.
func CallEnded(ctx context.Context, tx database.Tx, callID string) error {
	if err := update(ctx, tx, "ended_at = ?, secret = ? WHERE call_id = ? AND phase <> ? AND ended_at IS NULL", tx.Now(), []byte{}, callID, Connected); err != nil {
		return err
	}
	return update(ctx, tx, "closes_at = ?, secret = ? WHERE call_id = ? AND closes_at IS NULL", tx.Now().Add(Grace), []byte{}, callID)
}

// Purge deletes the pages of calls of the transaction's tenant.
func Purge(ctx context.Context, tx database.Tx, callIDs []string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM transfer_pages WHERE tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(callIDs)); err != nil {
		return fmt.Errorf("purge pages of transfers: %w", err)
	}
	return nil
}

// Prune deletes old pages of all tenants, and returns their number.
func Prune(ctx context.Context, db *database.DB) (n int64, err error) {
	err = db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM transfer_pages WHERE created_at < ?", tx.Now().Add(-kept))
		if err != nil {
			return fmt.Errorf("delete old pages of transfers: %w", err)
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}

func update(ctx context.Context, tx database.Tx, change string, args ...any) error {
	if _, err := tx.ExecContext(ctx, "UPDATE transfer_pages SET "+change, args...); err != nil {
		return fmt.Errorf("update a transfer's page: %w", err)
	}
	return nil
}

// place returns the seal place of the link's secret.
func (p *Page) place() seal.Place {
	return seal.Place{Table: "transfer_pages.secret", Row: p.ID, Tenant: p.TenantID}
}

func newSecret() string {
	random := make([]byte, secretBytes)
	rand.Read(random) // never fails, says crypto/rand
	return hex.EncodeToString(random)
}

// digest returns the stored form of a secret: 192 random bits need neither salt nor stretching.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func matches(hash []byte, secret string) bool {
	return len(hash) > 0 && subtle.ConstantTimeCompare(hash, digest(secret)) == 1
}
