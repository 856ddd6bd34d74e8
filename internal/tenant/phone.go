package tenant

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"parley/internal/database"
)

// Ranges of expensive numbers, which are dialled only if the range is allowed.
const (
	PremiumRate = "premium_rate"
	SharedCost  = "shared_cost"
	Satellite   = "satellite"
)

// PhoneRanges are the names of these ranges.
var PhoneRanges = []string{PremiumRate, SharedCost, Satellite}

// satellites are the country codes of satellite networks and of others that
// belong to no country (ITU-T E.164 annex: 870, 881, 882, 883).
var satellites = []string{"+870", "+881", "+882", "+883"}

// Phone is what a tenant may dial. The zero value means the platform's limits.
type Phone struct {
	Prefixes []string `bun:"phone_prefixes,type:jsonb"` // permitted prefixes; empty for any
	Ranges   []string `bun:"phone_ranges,type:jsonb"`   // of PhoneRanges, allowed in addition to the platform's
	// Concurrent calls, per minute and per day; nil is the platform's limit, 0 none.
	AtOnce    *int `bun:"phone_at_once"`
	PerMinute *int `bun:"phone_per_minute"`
	PerDay    *int `bun:"phone_per_day"`
}

// PhoneLimits are the platform's limits, for all tenants.
type PhoneLimits struct {
	Prefixes, Ranges          []string
	AtOnce, PerMinute, PerDay int // for tenants without their own limits; 0 is none
}

// prefixForm is the form of prefixes of E.164 numbers.
var prefixForm = regexp.MustCompile(`^\+[1-9][0-9]{0,14}$`)

// CheckPrefixes returns the first invalid prefix, or "".
func CheckPrefixes(prefixes []string) string {
	for _, p := range prefixes {
		if !prefixForm.MatchString(p) {
			return fmt.Sprintf("%q is not the beginning of an E.164 number, such as +49", p)
		}
	}
	return ""
}

// CheckRanges returns the first unknown range, or "".
func CheckRanges(ranges []string) string {
	for _, r := range ranges {
		if !slices.Contains(PhoneRanges, r) {
			return fmt.Sprintf("%q is none of %s", r, strings.Join(PhoneRanges, ", "))
		}
	}
	return ""
}

// Refuses returns why a tenant may not dial a number, in E.164; "" if it may.
func (l PhoneLimits) Refuses(p Phone, number string) string {
	begins := func(prefix string) bool { return strings.HasPrefix(number, prefix) }
	if r := specialRange(number); r != "" && !slices.Contains(l.Ranges, r) && !slices.Contains(p.Ranges, r) {
		return "is a " + r + " number, which may not be dialled"
	}
	if len(l.Prefixes) > 0 && !slices.ContainsFunc(l.Prefixes, begins) {
		return "may not be dialled from this platform: it begins with none of the allowed prefixes"
	}
	if len(p.Prefixes) > 0 && !slices.ContainsFunc(p.Prefixes, begins) {
		return "may not be dialled: it begins with none of the tenant's allowed prefixes"
	}
	return ""
}

// specialRange returns the special range of a number, or "". Networks connect a number once it is complete and
// ignore further digits, so a number with extra digits is judged by its prefix.
func specialRange(number string) string {
	if slices.ContainsFunc(satellites, func(code string) bool { return strings.HasPrefix(number, code) }) {
		return Satellite
	}
	for end := len(number); end > 0; end-- {
		parsed, err := phonenumbers.Parse(number[:end], "")
		if err != nil {
			continue
		}
		switch phonenumbers.GetNumberType(parsed) {
		case phonenumbers.UNKNOWN:
			continue
		case phonenumbers.PREMIUM_RATE:
			return PremiumRate
		case phonenumbers.SHARED_COST:
			return SharedCost
		}
		return ""
	}
	return ""
}

// Limits returns the tenant's limits of concurrent calls, per minute and per day; 0 is no limit.
func (l PhoneLimits) Limits(p Phone) (atOnce, perMinute, perDay int) {
	return *cmp.Or(p.AtOnce, &l.AtOnce), *cmp.Or(p.PerMinute, &l.PerMinute), *cmp.Or(p.PerDay, &l.PerDay)
}

// PhoneOf returns what the transaction's tenant may dial. With alone it serializes such transactions, for counting.
func PhoneOf(ctx context.Context, tx database.Tx, alone bool) (Phone, error) {
	if alone {
		if err := TakeTurn(ctx, tx); err != nil {
			return Phone{}, err
		}
	}
	t := new(Tenant)
	if err := tx.NewSelect().Model(t).Column("phone_prefixes", "phone_ranges", "phone_at_once", "phone_per_minute", "phone_per_day").
		Where("id = ?", tx.TenantID()).Scan(ctx); err != nil {
		return Phone{}, fmt.Errorf("read what a tenant may dial: %w", err)
	}
	return t.Phone, nil
}
