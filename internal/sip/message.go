package sip

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/inflight"
)

// Message is a SIP message of a phone call, with its secrets masked.
type Message struct {
	bun.BaseModel `bun:"table:sip_messages,alias:m"`

	ID       int64   `bun:"id,pk,autoincrement"`
	TenantID string  `bun:"tenant_id"`
	CallID   *string `bun:"call_id"` // nil if the call was refused before it was one
	// PhoneNumberID is the phone number of a refused call; nil for others.
	PhoneNumberID *string   `bun:"phone_number_id"`
	SIPCallID     string    `bun:"sip_call_id"` // the header Call-ID: a call has one for each leg
	Sent          bool      `bun:"sent"`
	Transport     Transport `bun:"transport"`
	Peer          string    `bun:"peer"` // address and port of the other side
	StartLine     string    `bun:"start_line"`
	Text          string    `bun:"message"`
	CreatedAt     time.Time `bun:"created_at"` // when it was sent or received
}

// messageRetention is how long SIP messages are kept.
const messageRetention = 24 * time.Hour

// maxMessages is the most messages that are returned.
const maxMessages = 1000

// CallMessages returns the newest SIP messages of a call in their order.
func (s Store) CallMessages(ctx context.Context, callID string) ([]Message, error) {
	return s.messages(ctx, "call_id = ?", callID)
}

// RefusedMessages returns the newest SIP messages of the calls to a phone number that were refused before they were calls of Parley's, in
// their order.
func (s Store) RefusedMessages(ctx context.Context, numberID string) (found []Message, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		known, err := tx.NewSelect().Model((*PhoneNumber)(nil)).Where("tenant_id = ? AND id = ?", tx.TenantID(), numberID).Exists(ctx)
		if err == nil && !known {
			return fault.Missing("phone number")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.messages(ctx, "call_id IS NULL AND phone_number_id = ?", numberID)
}

func (s Store) messages(ctx context.Context, which, id string) (found []Message, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		var size int
		if err := tx.NewSelect().Model((*Message)(nil)).ColumnExpr("COALESCE(SUM(LENGTH(message)), 0)").Where("tenant_id = ?", tx.TenantID()).Where(which, id).Scan(ctx, &size); err != nil {
			return err
		}
		if err := inflight.Reserve(ctx, size); err != nil {
			return err
		}
		newest := tx.NewSelect().Model((*Message)(nil)).Where("tenant_id = ?", tx.TenantID()).Where(which, id).OrderExpr("id DESC").Limit(maxMessages)
		return tx.NewSelect().With("newest", newest).Model(&found).ModelTableExpr("newest AS m").OrderExpr("m.created_at, m.id").Scan(ctx)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("read SIP messages: %w", err)
	}
	return found, nil
}

// WriteMessages stores SIP messages.
func WriteMessages(ctx context.Context, db *database.DB, messages []Message) error {
	err := db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewInsert().Model(&messages).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("write SIP messages: %w", err)
	}
	return nil
}

// pruned is how many messages, of up to 16 KiB each, one transaction deletes: SQLite's other writers wait for it.
const pruned = 500

// PruneMessages deletes the SIP messages of all tenants that have been kept for a day, and returns how many.
func PruneMessages(ctx context.Context, db *database.DB) (removed int64, err error) {
	for {
		var n int64
		err := db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
			old := tx.NewSelect().Model((*Message)(nil)).Column("id").Where("created_at < ?", tx.Now().Add(-messageRetention)).OrderExpr("created_at").Limit(pruned)
			result, err := tx.NewDelete().Model((*Message)(nil)).Where("id IN (?)", old).Exec(ctx)
			if err == nil {
				n, err = result.RowsAffected()
			}
			return err
		})
		if err != nil {
			return removed, fmt.Errorf("delete old SIP messages: %w", err)
		}
		if removed += n; n < pruned {
			return removed, nil
		}
	}
}

// PurgeMessages deletes the SIP messages of calls of the transaction's tenant.
func PurgeMessages(ctx context.Context, tx database.Tx, callIDs []string) error {
	if _, err := tx.NewDelete().Model((*Message)(nil)).Where("tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(callIDs)).Exec(ctx); err != nil {
		return fmt.Errorf("purge SIP messages: %w", err)
	}
	return nil
}
