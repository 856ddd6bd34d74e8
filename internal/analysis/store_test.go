package analysis_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// each runs a test with the stores of two tenants, the first of which has the analysis outcome.
func each(t *testing.T, f func(t *testing.T, s, foreign analysis.Store)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		registry := analysis.Registry{Providers: catalogtest.Any{}, StatusReasons: call.EndReasons()}
		s := registry.In(db.Tenant(acme))
		if _, _, err := s.Create(t.Context(), analysis.Draft{Name: "outcome", Config: analysis.Config{Instructions: "1", Schema: json.RawMessage(`{"type":"object"}`)}}); err != nil {
			t.Fatal(err)
		}
		f(t, s, registry.In(db.Tenant(other)))
	})
}

func TestVersions(t *testing.T) {
	each(t, func(t *testing.T, s, foreign analysis.Store) {
		ctx := t.Context()
		for n := 2; n <= 3; n++ {
			patch := fmt.Appendf(nil, `{"instructions":"%d"}`, n)
			for range 2 { // a change of nothing makes no version
				if a, _, err := s.Update(ctx, "outcome", patch); err != nil || a.Version != int64(n) {
					t.Fatalf("%+v, %v", a, err)
				}
			}
		}
		page, total, err := s.Versions(ctx, "outcome", 2, 1)
		if err != nil || total != 3 || len(page) != 2 || page[0].Version != 2 || page[0].Config.Instructions != "2" || page[1].Version != 1 {
			t.Errorf("%+v of %d, %v", page, total, err)
		}
		for n := int64(1); n <= 3; n++ {
			if v, err := s.Version(ctx, "outcome", n); err != nil || v.Config.Instructions != fmt.Sprint(n) || v.CreatedAt.IsZero() {
				t.Errorf("version %d: %+v, %v", n, v, err)
			}
		}
		if a, _, err := s.Rollback(ctx, "outcome", 1); err != nil || a.Version != 4 || a.Config.Instructions != "1" {
			t.Errorf("%+v, %v", a, err)
		}
		if _, _, err := s.Rollback(ctx, "outcome", 9); !fault.Is(err, fault.Validation) {
			t.Errorf("rollback to a version that there is not: %v", err)
		}
		if _, err := s.Version(ctx, "outcome", 9); !fault.Is(err, fault.NotFound) {
			t.Errorf("a version that there is not: %v", err)
		}
		_, _, listed := foreign.Versions(ctx, "outcome", 10, 0)
		_, got := foreign.Version(ctx, "outcome", 1)
		_, _, set := foreign.Rollback(ctx, "outcome", 1)
		for _, err := range []error{listed, got, set} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("another tenant: %v", err)
			}
		}
		if err := s.Delete(ctx, "outcome"); err != nil {
			t.Error(err)
		}
	})
}

func TestOldAndLargeVersionsAreDeleted(t *testing.T) {
	each(t, func(t *testing.T, s, _ analysis.Store) {
		for n := range 103 {
			if _, _, err := s.Update(t.Context(), "outcome", fmt.Appendf(nil, `{"instructions":"change %d"}`, n)); err != nil {
				t.Fatal(err)
			}
		}
		if _, total, err := s.Versions(t.Context(), "outcome", 1, 0); err != nil || total != 101 {
			t.Errorf("%d versions, %v", total, err)
		}
		large := fmt.Sprintf(`{"type":"object","description":"%s"}`, strings.Repeat("x", 60<<10))
		for n := range 72 {
			if _, _, err := s.Update(t.Context(), "outcome", fmt.Appendf(nil, `{"instructions":"large %d","schema":%s}`, n, large)); err != nil {
				t.Fatal(err)
			}
		}
		if _, total, err := s.Versions(t.Context(), "outcome", 1, 0); err != nil || total < 60 || total > 71 {
			t.Errorf("%d large versions, %v", total, err)
		}
	})
}

func TestReasonsOfConditionsAreKnown(t *testing.T) {
	each(t, func(t *testing.T, s, _ analysis.Store) {
		_, _, err := s.Update(t.Context(), "outcome", []byte(`{"conditions":{"reasons":["caller_hangup","hung_up","agent_ended"]}}`))
		var invalid *fault.Error
		if !errors.As(err, &invalid) || len(invalid.Details) != 1 || invalid.Details[0].Field != "conditions.reasons[1]" || !strings.Contains(invalid.Details[0].Message, "caller_hangup") {
			t.Errorf("%+v", err)
		}
		if _, _, err := s.Update(t.Context(), "outcome", []byte(`{"conditions":{"reasons":["caller_hangup","agent_ended"]}}`)); err != nil {
			t.Error(err)
		}
	})
}
