package tenant

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/database"
	"parley/internal/fault"
)

// Limit is the name of a limit of one tenant. docs/limits.md lists them.
type Limit string

// The limits.
const (
	Agents       Limit = "agents"
	Workflows    Limit = "workflows"
	Tools        Limit = "tools"
	Prompts      Limit = "prompts"
	APIKeys      Limit = "api_keys"
	PhoneNumbers Limit = "phone_numbers"
	Trunks       Limit = "sip_trunks"
	ProviderKeys Limit = "provider_keys"
	Variables    Limit = "variables"
	Secrets      Limit = "secrets"
	Webhooks     Limit = "webhooks"
	PublicTokens Limit = "public_tokens"
	Analyses     Limit = "analyses"
	Sounds       Limit = "sounds"
	Users        Limit = "users"

	// WaitingCalls are calls that no worker has claimed, ActiveCalls all open calls, waiting ones included.
	WaitingCalls Limit = "waiting_calls"
	ActiveCalls  Limit = "active_calls"
	Dispatches   Limit = "dispatches_per_minute"
	Streams      Limit = "sse_streams" // concurrent on one node
	// StoredBytes is what calls store: their plans, contexts, transcripts and events.
	StoredBytes Limit = "stored_bytes"
)

// records are the limits on rows in the database: the default, and the query for the rows.
var records = map[Limit]struct {
	usual int64
	rows  string
}{
	Agents:       {5_000, "agents WHERE tenant_id = ?"},
	Workflows:    {5_000, "workflows WHERE tenant_id = ?"},
	Tools:        {5_000, "tools WHERE tenant_id = ?"},
	Prompts:      {10_000, "prompts WHERE tenant_id = ?"},
	APIKeys:      {1_000, "api_keys WHERE tenant_id = ? AND revoked_at IS NULL"},
	PhoneNumbers: {5_000, "phone_numbers WHERE tenant_id = ?"},
	Trunks:       {200, "sip_trunks WHERE tenant_id = ?"},
	ProviderKeys: {1_000, "provider_keys WHERE tenant_id = ?"},
	Variables:    {200, "variables WHERE tenant_id = ? AND kind = 'variable'"},
	Secrets:      {200, "variables WHERE tenant_id = ? AND kind = 'secret'"},
	PublicTokens: {1_000, "public_tokens WHERE tenant_id = ? AND revoked_at IS NULL"},
	Analyses:     {200, "analyses WHERE tenant_id = ?"},
	Sounds:       {50, "sounds WHERE tenant_id = ?"},
	Webhooks:     {20, "webhooks WHERE tenant_id = ?"},
	Users:        {1_000, "users WHERE tenant_id = ?"},
}

// LimitNames are the names of all limits.
var LimitNames = []Limit{Agents, Workflows, Tools, Prompts, APIKeys, PhoneNumbers, Trunks, ProviderKeys, Variables, Secrets, PublicTokens, Analyses, Sounds, Webhooks, Users, WaitingCalls, ActiveCalls, Dispatches, Streams, StoredBytes}

const (
	// MaxLimit is the maximum value of a limit, except StoredBytes.
	MaxLimit = 1_000_000_000
	// MaxStoredBytes is the maximum value of StoredBytes.
	MaxStoredBytes = 1_000_000_000_000_000
)

// Max returns the limit's maximum value.
func (l Limit) Max() int64 {
	if l == StoredBytes {
		return MaxStoredBytes
	}
	return MaxLimit
}

// Limits are the values, keyed by name. A missing one is unlimited.
type Limits map[Limit]int64

// checkLimits returns the errors in values to be set; nil means the default.
func checkLimits(set map[Limit]*int64) (faults []fault.Detail) {
	for name, value := range set {
		field := "limits." + string(name)
		switch {
		case !slices.Contains(LimitNames, name):
			names := make([]string, len(LimitNames))
			for i, known := range LimitNames {
				names[i] = string(known)
			}
			faults = append(faults, fault.Detail{Field: field, Message: "is no limit: want one of " + strings.Join(names, ", ")})
		case value != nil && (*value < 0 || *value > name.Max()):
			faults = append(faults, fault.Detail{Field: field, Message: fmt.Sprintf("must be 0 to %d", name.Max())})
		}
	}
	return faults
}

// ownLimits returns the limits of the transaction's tenant that differ from the defaults.
func ownLimits(ctx context.Context, tx database.Tx) (Limits, error) {
	t := new(Tenant)
	if err := tx.NewSelect().Model(t).Column("limits").Where("id = ?", tx.TenantID()).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read the tenant's limits: %w", err)
	}
	return t.Limits, nil
}

// Room returns a conflict that names the limit if adding so many records would exceed it. It serializes the
// transactions of a tenant, and counts no further than the limit.
func Room(ctx context.Context, tx database.Tx, of Limit, adding int) error {
	if err := TakeTurn(ctx, tx); err != nil {
		return err
	}
	own, err := ownLimits(ctx, tx)
	if err != nil {
		return err
	}
	counted := records[of]
	most, set := own[of]
	if !set {
		most = counted.usual
	}
	var there int64
	err = tx.NewRaw("SELECT COUNT(*) FROM (SELECT 1 FROM "+counted.rows+" LIMIT ?) AS counted", tx.TenantID(), most).Scan(ctx, &there)
	if err != nil {
		return fmt.Errorf("count %s: %w", of, err)
	}
	if there+int64(adding) > most {
		return fault.New(fault.Conflict, "at most %d %s are allowed (limit %s)", most, strings.ReplaceAll(string(of), "_", " "), of)
	}
	return nil
}
