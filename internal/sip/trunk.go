// Package sip owns trunks, phone numbers, and the SIP gateway that dials and answers phone calls.
package sip

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/mergepatch"
	"parley/internal/seal"
	"parley/internal/tenant"
)

// Trunk is a connection to a telephone carrier.
type Trunk struct {
	bun.BaseModel `bun:"table:sip_trunks,alias:t"`

	TenantID  string    `bun:"tenant_id,pk"`
	ID        string    `bun:"id,pk"`
	Name      string    `bun:"name"`
	Address   string    `bun:"address"`   // host or host:port
	Transport Transport `bun:"transport"` // of signalling
	// AllowedAddresses are the networks that the trunk's inbound calls come from.
	AllowedAddresses []string        `bun:"allowed_addresses,type:jsonb"`
	MediaEncryption  MediaEncryption `bun:"media_encryption"`
	// AcceptTransfers has the gateway call other numbers through the trunk when the other side of a call asks for that (REFER).
	AcceptTransfers bool    `bun:"accept_transfers"`
	Username        *string `bun:"username"`
	SealedSecrets   []byte  `bun:"secrets"`   // secrets as JSON
	CallerID        *string `bun:"caller_id"` // E.164
	CallSettings
	IsDefault bool      `bun:"is_default"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`

	secrets `bun:"-"`
}

// secrets are encrypted together.
type secrets struct {
	Password *string           `json:"password"`
	Headers  map[string]string `json:"headers"` // of every INVITE
}

// Transport is a trunk's signalling transport.
type Transport string

// The transports.
const (
	UDP Transport = "udp"
	TCP Transport = "tcp"
	TLS Transport = "tls"
)

// MediaEncryption is a trunk's setting for SRTP (RFC 3711) with keys in the session description (RFC 4568).
type MediaEncryption string

// The settings of media encryption.
const (
	EncryptionOff     MediaEncryption = "off"     // neither offered nor accepted
	EncryptionAllow   MediaEncryption = "allow"   // the other side decides
	EncryptionRequire MediaEncryption = "require" // calls without it fail
)

// TrunkDraft is a trunk to create, and the document that an update patches.
type TrunkDraft struct {
	Name      string            `json:"name"`
	Address   string            `json:"address"`
	Transport Transport         `json:"transport"` // default UDP
	Username  *string           `json:"username"`
	Password  *string           `json:"password"`
	CallerID  *string           `json:"caller_id"`
	Headers   map[string]string `json:"headers"`
	// AllowedAddresses are IP addresses and networks, canonical after Check.
	AllowedAddresses []string        `json:"allowed_addresses"`
	MediaEncryption  MediaEncryption `json:"media_encryption"` // default EncryptionOff
	AcceptTransfers  bool            `json:"accept_transfers"`
	CallSettings
	// IsDefault replaces the tenant's current default.
	IsDefault bool `json:"is_default"`
}

// draft returns the trunk as a patch sees it, with masked headers.
func (t *Trunk) draft() TrunkDraft {
	return TrunkDraft{Name: t.Name, Address: t.Address, Transport: t.Transport, Username: t.Username, Password: t.Password, CallerID: t.CallerID,
		Headers: seal.MaskHeaders(t.Headers), AllowedAddresses: t.AllowedAddresses, MediaEncryption: t.MediaEncryption, AcceptTransfers: t.AcceptTransfers, CallSettings: t.CallSettings, IsDefault: t.IsDefault}
}

func (t *Trunk) place() seal.Place {
	return seal.Place{Table: "sip_trunks", Row: t.ID, Tenant: t.TenantID}
}

func (t *Trunk) decrypt(sealer *seal.Sealer) error {
	plain, err := sealer.Open(t.SealedSecrets, t.place())
	if err != nil {
		return fmt.Errorf("open trunk %s: %w", t.ID, err)
	}
	if err := json.Unmarshal(plain, &t.secrets); err != nil {
		return fmt.Errorf("read trunk %s: %w", t.ID, err)
	}
	return nil
}

// setFrom sets the fields of a trunk from a valid draft.
func (t *Trunk) setFrom(d TrunkDraft, sealer *seal.Sealer) error {
	t.Name, t.Address, t.Transport, t.Username, t.CallerID, t.IsDefault = d.Name, d.Address, d.Transport, d.Username, d.CallerID, d.IsDefault
	t.AllowedAddresses, t.MediaEncryption, t.AcceptTransfers, t.CallSettings = d.AllowedAddresses, d.MediaEncryption, d.AcceptTransfers, d.CallSettings
	t.secrets = secrets{d.Password, d.Headers}
	plain, err := json.Marshal(t.secrets)
	if err != nil {
		return fmt.Errorf("write trunk %s: %w", t.ID, err)
	}
	t.SealedSecrets = sealer.Seal(plain, t.place())
	return nil
}

// Registry stores trunks and phone numbers.
type Registry struct {
	Sealer *seal.Sealer
	// Platform is the trunk of tenants that have none; nil for none.
	Platform *TrunkDraft
	// Sandbox is the address, host or host:port, that calls of test keys are dialled at; "" for none.
	Sandbox string
	// OpenNumbers, in E.164, accept calls from everywhere.
	OpenNumbers []string
}

// In returns the store of a tenant's trunks and numbers.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// Store reads and writes a tenant's trunks and numbers. An id that does not exist, or belongs to another tenant, is
// not_found.
type Store struct {
	registry Registry
	scope    database.Scope
}

// Trunks returns a page of trunks, newest first, and their total.
func (s Store) Trunks(ctx context.Context, limit, offset int64) (page []Trunk, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = tx.NewSelect().Model(&page).Where("tenant_id = ?", tx.TenantID()).
			OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list trunks: %w", err)
	}
	for i := range page {
		if err := page[i].decrypt(s.registry.Sealer); err != nil {
			return nil, 0, err
		}
	}
	return page, total, nil
}

// Trunk returns a trunk.
func (s Store) Trunk(ctx context.Context, id string) (t *Trunk, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err = s.registry.trunk(ctx, tx, id)
		return err
	})
	return t, err
}

func (r Registry) trunk(ctx context.Context, tx database.Tx, id string) (*Trunk, error) {
	t, err := database.Record[Trunk](ctx, tx, "trunk", "id", id)
	if err != nil {
		return nil, err
	}
	return t, t.decrypt(r.Sealer)
}

// lockTrunk reads a trunk and locks it until the transaction ends.
func (r Registry) lockTrunk(ctx context.Context, tx database.Tx, id string) (*Trunk, error) {
	t, err := database.RecordToChange[Trunk](ctx, tx, "trunk", "id", id)
	if err != nil {
		return nil, err
	}
	return t, t.decrypt(r.Sealer)
}

// CreateTrunk creates a trunk, or returns all errors of the draft.
func (s Store) CreateTrunk(ctx context.Context, d TrunkDraft) (*Trunk, error) {
	headers, masked := seal.UnmaskHeaders(d.Headers, nil, "")
	d.Headers = headers
	if err := fault.FoundIn(ctx).With(append(d.validate(), masked...)); err != nil {
		return nil, err
	}
	t := &Trunk{TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String()}
	if err := t.setFrom(d, s.registry.Sealer); err != nil {
		return nil, err
	}
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.Room(ctx, tx, tenant.Trunks, 1); err != nil {
			return err
		}
		if err := clearDefault(ctx, tx, t.IsDefault); err != nil {
			return err
		}
		t.CreatedAt, t.UpdatedAt = tx.Now(), tx.Now()
		_, err := tx.NewInsert().Model(t).Exec(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create trunk: %w", err)
	}
	return t, nil
}

// clearDefault unsets the current default trunk if isDefault.
func clearDefault(ctx context.Context, tx database.Tx, isDefault bool) error {
	if !isDefault {
		return nil
	}
	if err := tenant.TakeTurn(ctx, tx); err != nil {
		return err
	}
	_, err := tx.NewUpdate().Model((*Trunk)(nil)).Set("is_default = ?", false).Where("tenant_id = ? AND is_default", tx.TenantID()).Exec(ctx)
	return err
}

// UpdateTrunk applies a JSON Merge Patch to a trunk. The result is validated as on creation.
func (s Store) UpdateTrunk(ctx context.Context, id string, patch []byte) (t *Trunk, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		// Locked before the trunk's row, in the order of the other transactions.
		if err := tenant.TakeTurn(ctx, tx); err != nil {
			return err
		}
		if t, err = s.registry.lockTrunk(ctx, tx, id); err != nil {
			return err
		}
		var d TrunkDraft
		if err := mergepatch.Onto(t.draft(), patch, &d); err != nil {
			return err
		}
		kept := t.keepSecrets(&d, patch)
		if err := fault.FoundIn(ctx).With(append(d.validate(), kept...)); err != nil {
			return err
		}
		if err := clearDefault(ctx, tx, d.IsDefault); err != nil {
			return fmt.Errorf("update trunk: %w", err)
		}
		before := *t
		if err := t.setFrom(d, s.registry.Sealer); err != nil {
			return err
		}
		if err := s.registry.checkTrunkNumbers(ctx, tx, &before, t); err != nil {
			return err
		}
		t.UpdatedAt = tx.Now()
		if _, err := tx.NewUpdate().Model(t).ExcludeColumn("tenant_id", "id", "created_at").WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("update trunk: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// checkTrunkNumbers checks the numbers of a changed trunk for conflicts.
func (r Registry) checkTrunkNumbers(ctx context.Context, tx database.Tx, before, after *Trunk) error {
	if slices.Equal(before.AllowedAddresses, after.AllowedAddresses) && before.hasCredentials() == after.hasCredentials() && before.country() == after.country() {
		return nil
	}
	if err := lockNumbers(ctx, tx); err != nil {
		return err
	}
	var numbers []string
	if err := tx.NewSelect().Model((*PhoneNumber)(nil)).Column("number").Where("tenant_id = ? AND trunk_id = ?", tx.TenantID(), after.ID).Scan(ctx, &numbers); err != nil {
		return fmt.Errorf("find trunk's numbers: %w", err)
	}
	return r.checkConflicts(ctx, tx, numbers, before, after)
}

// keepSecrets restores stored header values where the patch has masked ones, and returns errors for secrets that
// must be given again: password and headers are sent to the trunk's address as the user, so keeping them while one
// of these changes would disclose them.
func (t *Trunk) keepSecrets(d *TrunkDraft, patch []byte) (faults []fault.Detail) {
	moved := ""
	var given map[string]json.RawMessage
	_ = json.Unmarshal(patch, &given) // malformed patches were rejected before
	_, again := given["password"]
	for _, changed := range []struct {
		field string
		is    bool
	}{{"address", d.Address != t.Address}, {"transport", d.Transport != t.Transport}, {"username", valueOrEmpty(d.Username) != valueOrEmpty(t.Username)}} {
		if !changed.is {
			continue
		}
		if moved == "" {
			moved = changed.field
		}
		if t.Password != nil && !again {
			faults = append(faults, fault.Detail{Field: "password", Message: "must be given again when " + changed.field + " changes"})
		}
	}
	headers, masked := seal.UnmaskHeaders(d.Headers, t.Headers, moved)
	d.Headers = headers
	return append(faults, masked...)
}

// DeleteTrunk deletes a trunk. One that phone numbers use is a conflict.
func (s Store) DeleteTrunk(ctx context.Context, id string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err := s.registry.lockTrunk(ctx, tx, id)
		if err != nil {
			return err
		}
		used, err := tx.NewSelect().Model((*PhoneNumber)(nil)).Where("tenant_id = ? AND trunk_id = ?", tx.TenantID(), id).Count(ctx)
		if err != nil {
			return fmt.Errorf("find trunk's numbers: %w", err)
		}
		if used > 0 {
			return fault.New(fault.Conflict, "%d phone numbers use the trunk: delete them first", used)
		}
		if _, err := tx.NewDelete().Model(t).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("delete trunk: %w", err)
		}
		return nil
	})
}

// DefaultTrunk returns the trunk that the transaction's tenant dials through: its default, or its oldest, or the
// platform's; not_found without any.
func (r Registry) DefaultTrunk(ctx context.Context, tx database.Tx) (*Trunk, error) {
	t := new(Trunk)
	err := tx.NewSelect().Model(t).Where("tenant_id = ?", tx.TenantID()).OrderExpr("is_default DESC, created_at, id").Limit(1).Scan(ctx)
	switch {
	case err == nil:
		return t, t.decrypt(r.Sealer)
	case !database.NoRows(err):
		return nil, fmt.Errorf("read trunk: %w", err)
	case r.Platform == nil:
		return nil, fault.Missing("trunk")
	}
	return r.platform(), nil
}

// platform returns the platform's trunk, which must be set.
func (r Registry) platform() *Trunk {
	p := r.Platform
	return &Trunk{Name: p.Name, Address: p.Address, Transport: p.Transport, Username: p.Username, CallerID: p.CallerID, IsDefault: true,
		AllowedAddresses: p.AllowedAddresses, MediaEncryption: p.MediaEncryption, CallSettings: p.CallSettings,
		secrets: secrets{p.Password, p.Headers}}
}
