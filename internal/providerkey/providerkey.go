// Package providerkey stores tenants' own keys for speech and language providers. Keys are encrypted and never
// returned.
package providerkey

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/netguard"
	"parley/internal/seal"
	"parley/internal/tenant"
)

// The maximum lengths of a key and of a base URL, in characters.
const (
	MaxKey     = 2048
	MaxBaseURL = 2048
)

// keyForm is what may be sent in a header unencoded: visible ASCII.
var keyForm = regexp.MustCompile(`^[!-~]+$`)

// types are the kinds of providers.
var types = []string{"stt", "llm", "tts"}

// Providers are the providers that use keys. Kinds are stt, llm and tts.
type Providers interface {
	Has(kind, name string) bool
	Names(kind string) []string
	// NeedsAddress reports whether a provider has no default address, and perhaps needs no key.
	NeedsAddress(name string) bool
}

// Registry provides what keys are validated and encrypted with.
type Registry struct {
	Providers Providers
	Sealer    *seal.Sealer
	// AllowPrivate permits base URLs with plain http and at private addresses.
	AllowPrivate bool
}

// In returns the store of a tenant's provider keys.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// Store keeps a tenant's provider keys. An id that does not exist, or belongs
// to another tenant, is not_found.
type Store struct {
	registry Registry
	scope    database.Scope
}

// Key is a tenant's key for a provider, without the key itself.
type Key struct {
	bun.BaseModel `bun:"table:provider_keys,alias:k"`

	TenantID     string    `bun:"tenant_id,pk"`
	ID           string    `bun:"id,pk"`
	ProviderType string    `bun:"provider_type"` // stt, llm, tts
	ProviderName string    `bun:"provider_name"`
	Sealed       []byte    `bun:"api_key"`
	Hint         string    `bun:"hint"`     // the key's last characters, to identify it
	BaseURL      string    `bun:"base_url"` // where the key is sent; "" for the provider's own address
	IsDefault    bool      `bun:"is_default"`
	CreatedAt    time.Time `bun:"created_at"`
}

func (k *Key) place() seal.Place {
	return seal.Place{Table: "provider_keys", Row: k.ID, Tenant: k.TenantID}
}

// Draft is a provider key to create.
type Draft struct {
	ProviderType, ProviderName string
	// APIKey may be empty for a provider that needs an address.
	APIKey string
	// BaseURL replaces the provider's address; "" for its own.
	BaseURL string
	// IsDefault replaces the current default of the type.
	IsDefault bool
}

func (r Registry) faults(d Draft) (faults []fault.Detail) {
	addFault := func(field, message string) { faults = append(faults, fault.Detail{Field: field, Message: message}) }
	names := r.Providers.Names(d.ProviderType)
	switch {
	case d.ProviderType == "":
		addFault("provider_type", "is required")
	case len(names) == 0:
		addFault("provider_type", "must be one of "+strings.Join(types, ", "))
	}
	if len(names) == 0 { // without a type, any provider
		for _, kind := range types {
			names = append(names, r.Providers.Names(kind)...)
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	switch {
	case d.ProviderName == "":
		addFault("provider_name", "is required")
	case !slices.Contains(names, d.ProviderName):
		addFault("provider_name", "must be one of "+strings.Join(names, ", "))
	}
	switch {
	case d.APIKey == "" && r.Providers.NeedsAddress(d.ProviderName):
	case d.APIKey == "":
		addFault("api_key", "is required")
	case len(d.APIKey) > MaxKey:
		addFault("api_key", fmt.Sprintf("must have at most %d characters", MaxKey))
	case !keyForm.MatchString(d.APIKey):
		addFault("api_key", "must hold visible ASCII characters only")
	}
	if d.BaseURL != "" {
		if problem := r.addressFault(d.BaseURL); problem != "" {
			addFault("base_url", problem)
		}
	} else if r.Providers.NeedsAddress(d.ProviderName) {
		addFault("base_url", "is required for "+d.ProviderName)
	}
	return faults
}

// addressFault returns what is wrong with a base URL, or "". The rest is checked when it is connected to.
func (r Registry) addressFault(base string) string {
	if len(base) > MaxBaseURL {
		return fmt.Sprintf("must have at most %d characters", MaxBaseURL)
	}
	if strings.ContainsAny(base, "?#") {
		return "must have no query or fragment"
	}
	if rest, ok := strings.CutPrefix(base, "ws"); ok { // ws: and wss: as http: and https:
		base = "http" + rest
	}
	return netguard.CheckURL(base, r.AllowPrivate)
}

// hint returns a key's last four characters, or fewer for a short key, at least half of which stays hidden.
func hint(key string) string { return key[len(key)-min(4, len(key)/2):] }

// List returns the tenant's keys, newest first.
func (s Store) List(ctx context.Context) (keys []Key, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(&keys).ExcludeColumn("api_key").Where("tenant_id = ?", tx.TenantID()).OrderExpr("created_at DESC, id DESC").Scan(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("list provider keys: %w", err)
	}
	return keys, nil
}

// Create stores a key, or returns all errors of the draft.
func (s Store) Create(ctx context.Context, d Draft) (*Key, error) {
	if err := fault.FoundIn(ctx).With(s.registry.faults(d)); err != nil {
		return nil, err
	}
	k := &Key{
		TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(), ProviderType: d.ProviderType, ProviderName: d.ProviderName,
		Hint: hint(d.APIKey), BaseURL: d.BaseURL, IsDefault: d.IsDefault,
	}
	k.Sealed = s.registry.Sealer.Seal([]byte(d.APIKey), k.place())
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.Room(ctx, tx, tenant.ProviderKeys, 1); err != nil {
			return err
		}
		if k.IsDefault {
			if err := tenant.TakeTurn(ctx, tx); err != nil {
				return err
			}
			_, err := tx.NewUpdate().Model((*Key)(nil)).Set("is_default = ?", false).
				Where("tenant_id = ? AND provider_type = ? AND is_default", tx.TenantID(), k.ProviderType).Exec(ctx)
			if err != nil {
				return err
			}
		}
		k.CreatedAt = tx.Now()
		_, err := tx.NewInsert().Model(k).Exec(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create provider key: %w", err)
	}
	return k, nil
}

// Open returns a key with the key itself. The error is a conflict where it was
// sealed with an encryption key that is gone.
func (s Store) Open(ctx context.Context, id string) (k *Key, plain string, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		k, err = database.Record[Key](ctx, tx, "provider key", "id", id)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	opened, err := s.registry.Sealer.Open(k.Sealed, k.place())
	if err != nil {
		return nil, "", fault.New(fault.Conflict, "the key was sealed with an encryption key that is gone: delete it and keep it anew")
	}
	return k, string(opened), nil
}

// Delete removes a key.
func (s Store) Delete(ctx context.Context, id string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		result, err := tx.NewDelete().Model((*Key)(nil)).Where("tenant_id = ? AND id = ?", tx.TenantID(), id).Exec(ctx)
		if err != nil {
			return fmt.Errorf("delete provider key: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return fault.Missing("provider key")
	})
}
