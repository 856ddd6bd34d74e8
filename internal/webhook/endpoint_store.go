package webhook

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// Store has the webhooks of a tenant, the primary one too. An unknown id is not_found.
type Store struct {
	settings   *Settings
	tenantID   string
	readsCalls bool
}

// Store returns the store of a tenant. readsCalls is whether the principal may have what was said in calls sent.
func (s *Settings) Store(tenantID string, readsCalls bool) Store {
	return Store{s, tenantID, readsCalls}
}

// List returns a page of the webhooks, the primary one first, and their total.
func (st Store) List(ctx context.Context, limit, offset int) (page []Webhook, total int64, err error) {
	s := st.settings
	err = s.db.Tenant(st.tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tx.NewRaw("SELECT count(*) FROM webhooks WHERE tenant_id = ?", st.tenantID).Scan(ctx, &total); err != nil {
			return err
		}
		var rows []configRow
		err := tx.NewRaw("SELECT "+rowColumns+" FROM webhooks w WHERE w.tenant_id = ? ORDER BY w.ordinal LIMIT ? OFFSET ?", st.tenantID, limit, offset).Scan(ctx, &rows)
		for i := range rows {
			w, err := rows[i].decode(s.sealer)
			if err != nil {
				return err
			}
			page = append(page, w)
		}
		return err
	})
	if err != nil && !database.NoRows(err) {
		return nil, 0, fmt.Errorf("list webhooks: %w", err)
	}
	return page, total, nil
}

// Create creates a webhook from a JSON object, with a secret. It becomes the primary one if there is none.
func (st Store) Create(ctx context.Context, doc []byte) (*Webhook, error) {
	s := st.settings
	given, err := parseConfig(doc, s.allowPrivate, fault.FoundIn(ctx))
	if err != nil {
		return nil, err
	}
	var made Webhook
	secret := newSecret()
	err = s.db.Tenant(st.tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.Room(ctx, tx, tenant.Webhooks, 1); err != nil { // which also serializes creations
			return err
		}
		config, err := mergeConfig(nil, given, st.readsCalls)
		if err != nil {
			return err
		}
		var ordinal int
		err = tx.NewRaw(`SELECT CASE WHEN EXISTS (SELECT 1 FROM webhooks WHERE tenant_id = ? AND ordinal = 0)
			THEN (SELECT MAX(ordinal) + 1 FROM webhooks WHERE tenant_id = ?) ELSE 0 END`, st.tenantID, st.tenantID).Scan(ctx, &ordinal)
		if err != nil {
			return fmt.Errorf("number a webhook: %w", err)
		}
		id := tx.NewID("whk_")
		if err := insertConfig(ctx, tx, id, ordinal); err != nil {
			return err
		}
		r, err := findConfig(ctx, tx, id, s.store.lockWebhook())
		if err != nil {
			return err
		}
		r.Secret = s.sealer.Seal([]byte(secret), secretPlace(id, st.tenantID))
		made, err = s.save(ctx, tx, r, config)
		return err
	})
	made.Secret = secret
	return &made, err
}

// Get returns a webhook.
func (st Store) Get(ctx context.Context, id string) (*Webhook, error) {
	return found(st.settings.get(ctx, st.tenantID, id))
}

// Update applies a JSON Merge Patch (RFC 7396).
func (st Store) Update(ctx context.Context, id string, patch []byte) (*Webhook, error) {
	return found(st.settings.patch(ctx, st.tenantID, id, patch, st.readsCalls))
}

// Enable enables a webhook.
func (st Store) Enable(ctx context.Context, id string) (*Webhook, error) {
	return found(st.settings.setEnabled(ctx, st.tenantID, id, true))
}

// Disable disables a webhook.
func (st Store) Disable(ctx context.Context, id string) (*Webhook, error) {
	return found(st.settings.setEnabled(ctx, st.tenantID, id, false))
}

// Rotate replaces a webhook's secret, as Settings.Rotate does.
func (st Store) Rotate(ctx context.Context, id string, overlap time.Duration) (*Webhook, error) {
	w, secret, err := st.settings.rotate(ctx, st.tenantID, id, overlap)
	w.Secret = secret
	return found(w, err)
}

// Delete deletes a webhook. Its open deliveries fail.
func (st Store) Delete(ctx context.Context, id string) error {
	return st.settings.remove(ctx, st.tenantID, id)
}

func found(w Webhook, err error) (*Webhook, error) {
	if err != nil {
		return nil, err
	}
	return &w, nil
}
