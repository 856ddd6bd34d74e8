// Package audit stores the audit log: who changed what, from where and when.
//
// Entries are append-only: the database rejects changes, and deletions within the retention. An entry contains
// names of fields and never their values.
package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// ActorType is the kind of principal that made a change.
type ActorType string

// The actors.
const (
	User        ActorType = "user"         // a user's session
	APIKey      ActorType = "api_key"      // an API key
	PublicToken ActorType = "public_token" // a web page with a public token
	PageLink    ActorType = "page_link"    // a person to whom a caller was transferred, with the link to their page
	Operator    ActorType = "operator"     // a command on the server's machine, or the server's first start
)

// Entry is one change.
type Entry struct {
	bun.BaseModel `bun:"table:audit_log,alias:a"`

	TenantID  string    `bun:"tenant_id,pk"`
	ID        string    `bun:"id,pk"` // aud_…
	CreatedAt time.Time `bun:"created_at"`

	ActorType ActorType `bun:"actor_type"`
	ActorID   string    `bun:"actor_id,nullzero"` // of the user, the API key, the public token or the page
	// Action is resource.verb, such as agent.update.
	Action       string `bun:"action"`
	ResourceType string `bun:"resource_type"`          // agent
	ResourceID   string `bun:"resource_id,nullzero"`   // unique identifier
	ResourceName string `bun:"resource_name,nullzero"` // name or slug in paths
	// Changes are the dotted names of the fields in an update.
	Changes       []string `bun:"changes,type:jsonb"`
	ClientAddress string   `bun:"client_address,nullzero"`
	RequestID     string   `bun:"request_id,nullzero"`
}

// Record runs an operation and adds the entries that it returns, in the operation's last write transaction or else
// in a separate one. An error rolls that transaction back and adds none; an entry without a tenant is left out.
// Entries of several tenants require an operation that writes in the system's scope.
func Record(ctx context.Context, db *database.DB, operation func(ctx context.Context) ([]Entry, error)) error {
	held, hold := database.WithHold(ctx)
	defer hold.Rollback()
	entries, err := operation(held)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.TenantID == "" })
	tenantID := ""
	if len(entries) > 0 {
		tenantID = entries[0].TenantID
	}
	return hold.Commit(ctx, db.Tenant(tenantID), func(ctx context.Context, tx database.Tx) error {
		for _, e := range entries {
			if err := Add(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Write adds an entry in a separate transaction.
func Write(ctx context.Context, db *database.DB, e Entry) error {
	return db.Tenant(e.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error { return Add(ctx, tx, e) })
}

// Add adds an entry in the transaction of its change. It sets ID and CreatedAt.
func Add(ctx context.Context, tx database.Tx, e Entry) error {
	e.ID, e.CreatedAt = tx.NewID("aud_"), tx.Now()
	if e.Changes == nil {
		e.Changes = []string{} // [] in JSON, not null
	}
	if _, err := tx.NewInsert().Model(&e).Exec(ctx); err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	return nil
}

// Query filters the log. Empty fields match everything.
type Query struct {
	Actor        string // id of a user or an API key, or operator
	Action       string
	ResourceType string
	Resource     string    // id or name
	From, To     time.Time // From inclusive, To exclusive
	Limit        int
	Offset       int
}

// List returns the entries of a tenant that match, newest first, and how
// many there are in all.
func List(ctx context.Context, db *database.DB, tenantID string, q Query) (page []Entry, total int, err error) {
	err = db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(&page).Where("tenant_id = ?", tenantID)
		switch q.Actor {
		case "":
		case string(Operator):
			query.Where("actor_type = ?", Operator)
		default:
			query.Where("actor_id = ?", q.Actor)
		}
		if q.Action != "" {
			query.Where("action = ?", q.Action)
		}
		if q.ResourceType != "" {
			query.Where("resource_type = ?", q.ResourceType)
		}
		if q.Resource != "" {
			query.Where("(resource_id = ? OR resource_name = ?)", q.Resource, q.Resource)
		}
		if !q.From.IsZero() {
			query.Where("created_at >= ?", q.From.UTC())
		}
		if !q.To.IsZero() {
			query.Where("created_at < ?", q.To.UTC())
		}
		count, err := query.OrderExpr("id DESC").Limit(int64(q.Limit)).Offset(int64(q.Offset)).ScanAndCount(ctx)
		total = int(count)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list audit log: %w", err)
	}
	return page, total, nil
}
