package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/mergepatch"
	"parley/internal/seal"
)

// maxOverlap limits how long a rotated secret remains valid.
const maxOverlap = 24 * time.Hour

// Settings stores the configurations. Its methods mean a tenant's primary webhook; those of Store any one.
type Settings struct {
	db           *database.DB
	bus          *event.Bus
	sealer       *seal.Sealer
	allowPrivate bool
	store        store
}

// NewSettings returns a Settings that publishes changes on a bus. With allowPrivate
// URLs may use plain http and private addresses.
func NewSettings(db *database.DB, bus *event.Bus, sealer *seal.Sealer, allowPrivate bool) *Settings {
	return &Settings{db: db, bus: bus, sealer: sealer, allowPrivate: allowPrivate, store: newStore(db)}
}

// publishChange publishes the change of a configuration after the commit: deliveries
// claimed with the old one return to the queue.
func (s *Settings) publishChange(tx database.Tx, id string) {
	tx.AfterCommit(func() { s.bus.Publish(event.Webhooks, id) })
}

// configRow is the database row of a configuration.
type configRow struct {
	ID                string
	TenantID          string
	Ordinal           int    // 0: the primary one
	URL               string `bun:"url"`
	Secret            []byte // sealed
	PreviousSecret    []byte // sealed
	PreviousUntil     bun.NullTime
	Enabled           bool
	Events            *string // JSON array; NULL: all
	Workflows         *string // JSON array; NULL: all
	Agents            *string // JSON array; NULL: all
	IncludeTranscript bool
	IncludeContext    bool
	IncludeMetrics    bool
	IncludePage       bool
	Headers           []byte // sealed JSON object
	Timeout           int
	MaxRetries        int
	RetryPolicy       RetryPolicy
	PayloadFormat     PayloadFormat
	Failures          int // attempts that failed since the last success
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

const rowColumns = `w.id, w.tenant_id, w.ordinal, w.url, w.secret, w.previous_secret, w.previous_until, w.enabled, w.events, w.workflows, w.agents,
	w.include_transcript, w.include_context, w.include_metrics, w.include_page, w.headers, w.timeout, w.max_retries, w.retry_policy, w.payload_format, w.failures,
	w.created_at, w.updated_at`

// Secrets and headers are sealed with different contexts, so that neither can be
// opened as the other.
func secretPlace(id, tenantID string) seal.Place {
	return seal.Place{Table: "webhooks", Row: id, Tenant: tenantID}
}

func headersPlace(id, tenantID string) seal.Place {
	return seal.Place{Table: "webhooks.headers", Row: id, Tenant: tenantID}
}

// decode returns the configuration with its headers decrypted.
func (r *configRow) decode(sealer *seal.Sealer) (Webhook, error) {
	w := Webhook{ID: r.ID, Primary: r.Ordinal == 0, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), Config: Config{
		URL: r.URL, Enabled: r.Enabled, Timeout: r.Timeout, MaxRetries: r.MaxRetries, RetryPolicy: r.RetryPolicy, PayloadFormat: r.PayloadFormat,
		Filter: Filter{IncludeTranscript: r.IncludeTranscript, IncludeContext: r.IncludeContext, IncludeMetrics: r.IncludeMetrics, IncludePage: r.IncludePage},
	}}
	for text, list := range map[*string]*[]string{r.Events: &w.Filter.Events, r.Workflows: &w.Filter.Workflows, r.Agents: &w.Filter.Agents} {
		if text == nil {
			continue
		}
		if err := json.Unmarshal([]byte(*text), list); err != nil {
			return w, fmt.Errorf("read filter of webhook %s: %w", r.ID, err)
		}
	}
	plain, err := sealer.Open(r.Headers, headersPlace(r.ID, r.TenantID))
	if err != nil {
		return w, fmt.Errorf("open headers of webhook %s: %w", r.ID, err)
	}
	if err := json.Unmarshal(plain, &w.Headers); err != nil {
		return w, fmt.Errorf("read headers of webhook %s: %w", r.ID, err)
	}
	return w, nil
}

// validSecrets returns the secrets valid at a time, the current one first.
func (r *configRow) validSecrets(sealer *seal.Sealer, now time.Time) ([]string, error) {
	current, err := sealer.Open(r.Secret, secretPlace(r.ID, r.TenantID))
	if err != nil {
		return nil, fmt.Errorf("open secret of webhook %s: %w", r.ID, err)
	}
	secrets := []string{string(current)}
	if len(r.PreviousSecret) > 0 && now.Before(r.PreviousUntil.Time) {
		previous, err := sealer.Open(r.PreviousSecret, secretPlace(r.ID, r.TenantID))
		if err != nil {
			return nil, fmt.Errorf("open previous secret of webhook %s: %w", r.ID, err)
		}
		secrets = append(secrets, string(previous))
	}
	return secrets, nil
}

// primary is the id that stands for a tenant's primary webhook.
const primary = ""

// findConfig reads a configuration of the transaction's tenant; not_found without one.
// lock is store.lockWebhook's clause, or "".
func findConfig(ctx context.Context, tx database.Tx, id, lock string) (*configRow, error) {
	condition, arg := "w.id = ?", any(id)
	if id == primary {
		condition, arg = "w.ordinal = ?", 0
	}
	r := new(configRow)
	err := tx.NewRaw("SELECT "+rowColumns+" FROM webhooks w WHERE w.tenant_id = ? AND "+condition+lock, tx.TenantID(), arg).Scan(ctx, r)
	if database.NoRows(err) {
		return nil, fault.Missing("webhook configuration")
	}
	if err != nil {
		return nil, fmt.Errorf("read webhook configuration: %w", err)
	}
	return r, nil
}

// Get returns a tenant's configuration; not_found without one.
func (s *Settings) Get(ctx context.Context, tenantID string) (Webhook, error) {
	return s.get(ctx, tenantID, primary)
}

func (s *Settings) get(ctx context.Context, tenantID, id string) (w Webhook, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := findConfig(ctx, tx, id, "")
		if err != nil {
			return err
		}
		w, err = r.decode(s.sealer)
		return err
	})
	return w, err
}

// Put creates or replaces a tenant's configuration from a JSON object and returns
// it with a new secret. Replacing keeps the id. readsCalls: see replace.
func (s *Settings) Put(ctx context.Context, tenantID string, doc []byte, readsCalls bool) (w Webhook, secret string, err error) {
	config, err := parseConfig(doc, s.allowPrivate, fault.FoundIn(ctx))
	if err != nil {
		return Webhook{}, "", err
	}
	secret = newSecret()
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		// The insert locks the row, also against a concurrent request that creates
		// it; the fields are written after.
		if err := insertConfig(ctx, tx, tx.NewID("whk_"), 0); err != nil {
			return err
		}
		r, err := findConfig(ctx, tx, primary, s.store.lockWebhook())
		if err != nil {
			return err
		}
		var current *Config
		if r.URL != "" { // it existed before
			stored, err := r.decode(s.sealer)
			if err != nil {
				return err
			}
			current = &stored.Config
		}
		config, err := mergeConfig(current, config, readsCalls)
		if err != nil {
			return err
		}
		r.Secret = s.sealer.Seal([]byte(secret), secretPlace(r.ID, tenantID))
		r.PreviousSecret, r.PreviousUntil = nil, bun.NullTime{}
		w, err = s.save(ctx, tx, r, config)
		return err
	})
	return w, secret, err
}

// insertConfig inserts the row of a configuration whose fields are written after, if the ordinal is free.
func insertConfig(ctx context.Context, tx database.Tx, id string, ordinal int) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO webhooks (id, tenant_id, ordinal, url, secret, enabled, include_transcript, include_context, include_metrics, headers, timeout, max_retries, payload_format, created_at, updated_at)
		VALUES (?, ?, ?, '', ?, false, false, false, false, ?, 0, 0, '', ?, ?) ON CONFLICT (tenant_id, ordinal) DO NOTHING`,
		id, tx.TenantID(), ordinal, []byte{}, []byte{}, tx.Now(), tx.Now())
	if err != nil {
		return fmt.Errorf("create webhook configuration: %w", err)
	}
	return nil
}

// Patch applies a JSON Merge Patch (RFC 7396), ignoring id and secret. readsCalls:
// see replace.
func (s *Settings) Patch(ctx context.Context, tenantID string, patch []byte, readsCalls bool) (Webhook, error) {
	return s.patch(ctx, tenantID, primary, patch, readsCalls)
}

func (s *Settings) patch(ctx context.Context, tenantID, id string, patch []byte, readsCalls bool) (Webhook, error) {
	return s.editConfig(ctx, tenantID, id, func(current Config) (Config, error) {
		shown := current
		shown.Headers = seal.MaskHeaders(current.Headers) // what the patch leaves alone is stored as it was
		document, err := json.Marshal(shown)
		if err != nil {
			return Config{}, fmt.Errorf("write webhook configuration: %w", err)
		}
		if document, err = mergepatch.Apply(document, patch); err != nil {
			return Config{}, fmt.Errorf("patch webhook configuration: %w", err)
		}
		given, err := parseConfig(document, s.allowPrivate, fault.FoundIn(ctx))
		if err != nil {
			return Config{}, err
		}
		return mergeConfig(&current, given, readsCalls)
	})
}

// SetEnabled enables or disables a tenant's webhook. While disabled, no deliveries
// are queued and pending ones are not attempted.
func (s *Settings) SetEnabled(ctx context.Context, tenantID string, enabled bool) (Webhook, error) {
	return s.setEnabled(ctx, tenantID, primary, enabled)
}

func (s *Settings) setEnabled(ctx context.Context, tenantID, id string, enabled bool) (Webhook, error) {
	return s.editConfig(ctx, tenantID, id, func(current Config) (Config, error) {
		current.Enabled = enabled
		return current, nil
	})
}

func (s *Settings) editConfig(ctx context.Context, tenantID, id string, edit func(Config) (Config, error)) (w Webhook, err error) {
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := findConfig(ctx, tx, id, s.store.lockWebhook())
		if err != nil {
			return err
		}
		current, err := r.decode(s.sealer)
		if err != nil {
			return err
		}
		config, err := edit(current.Config)
		if err != nil {
			return err
		}
		w, err = s.save(ctx, tx, r, config)
		return err
	})
	return w, err
}

// save writes a configuration and its secrets, and resets the failure count.
func (s *Settings) save(ctx context.Context, tx database.Tx, r *configRow, c Config) (Webhook, error) {
	headers, err := json.Marshal(c.Headers)
	if err != nil {
		return Webhook{}, fmt.Errorf("write headers of webhook %s: %w", r.ID, err)
	}
	_, err = tx.ExecContext(ctx, `UPDATE webhooks SET url = ?, secret = ?, previous_secret = ?, previous_until = ?, enabled = ?, events = ?, workflows = ?, agents = ?,
			include_transcript = ?, include_context = ?, include_metrics = ?, include_page = ?, headers = ?, timeout = ?, max_retries = ?, retry_policy = ?, payload_format = ?, failures = 0, failing_since = NULL, updated_at = ?
		WHERE tenant_id = ? AND id = ?`,
		c.URL, r.Secret, r.PreviousSecret, r.PreviousUntil, c.Enabled, jsonList(c.Filter.Events), jsonList(c.Filter.Workflows), jsonList(c.Filter.Agents),
		c.Filter.IncludeTranscript, c.Filter.IncludeContext, c.Filter.IncludeMetrics, c.Filter.IncludePage,
		s.sealer.Seal(headers, headersPlace(r.ID, r.TenantID)), c.Timeout, c.MaxRetries, c.RetryPolicy, c.PayloadFormat, tx.Now(),
		r.TenantID, r.ID)
	if err != nil {
		return Webhook{}, fmt.Errorf("write webhook configuration: %w", err)
	}
	s.publishChange(tx, r.ID)
	return Webhook{ID: r.ID, Primary: r.Ordinal == 0, Config: c, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: tx.Now()}, nil
}

// jsonList returns a list as JSON, nil for nil.
func jsonList(list []string) *string {
	if list == nil {
		return nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings
	}
	return new(string(text))
}

// Rotate replaces the signing secret and returns the new one. For overlap, at most
// a day, requests are also signed with the old one.
func (s *Settings) Rotate(ctx context.Context, tenantID string, overlap time.Duration) (w Webhook, secret string, err error) {
	return s.rotate(ctx, tenantID, primary, overlap)
}

func (s *Settings) rotate(ctx context.Context, tenantID, id string, overlap time.Duration) (w Webhook, secret string, err error) {
	if overlap < 0 || overlap > maxOverlap {
		return Webhook{}, "", fault.Invalid([]fault.Detail{{Field: "overlap_seconds", Message: fmt.Sprintf("must be from 0 to %d", int(maxOverlap.Seconds()))}})
	}
	secret = newSecret()
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := findConfig(ctx, tx, id, s.store.lockWebhook())
		if err != nil {
			return err
		}
		current, err := r.decode(s.sealer)
		if err != nil {
			return err
		}
		r.PreviousSecret, r.PreviousUntil = nil, bun.NullTime{}
		if overlap > 0 {
			r.PreviousSecret, r.PreviousUntil = r.Secret, bun.NullTime{Time: tx.Now().Add(overlap)}
		}
		r.Secret = s.sealer.Seal([]byte(secret), secretPlace(r.ID, tenantID))
		w, err = s.save(ctx, tx, r, current.Config)
		return err
	})
	return w, secret, err
}

// Delete removes a tenant's configuration and fails its open deliveries, including
// those of uncommitted events, for which it waits. not_found without one.
func (s *Settings) Delete(ctx context.Context, tenantID string) error {
	return s.remove(ctx, tenantID, primary)
}

func (s *Settings) remove(ctx context.Context, tenantID, id string) error {
	// New events are not waited for: with a steady stream there would always be
	// another.
	err := s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := findConfig(ctx, tx, id, "")
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE webhooks SET enabled = ? WHERE id = ?", false, r.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("disable a webhook before its deletion: %w", err)
	}
	return s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := findConfig(ctx, tx, id, s.store.lockWebhook())
		if err != nil {
			return err
		}
		s.publishChange(tx, r.ID)
		if _, err := tx.ExecContext(ctx, "DELETE FROM webhooks WHERE tenant_id = ? AND id = ?", tenantID, r.ID); err != nil {
			return fmt.Errorf("delete webhook configuration: %w", err)
		}
		return s.store.failOpen(ctx, tx, r.ID)
	})
}
