package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// agents holds the agents there are.
type agents map[string]bool

func (a agents) Existing(context.Context, database.Tx, []string) (map[string]bool, error) {
	return a, nil
}

// each runs f on both databases with the stores of two tenants.
func each(t *testing.T, f func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		r := Registry{Agents: agents{}, Sealer: newSealer(t, 7)}
		f(t, context.Background(), db, r.In(db.Tenant(acme)), r.In(db.Tenant(other)))
	})
}

func create(t *testing.T, s Store, name string) *Tool {
	t.Helper()
	made, _, err := s.Create(t.Context(), Draft{Name: name, Config: new(configOf(t, sound))})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func tree(t *testing.T, config Config) (value any) {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestCreateAndGet(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		about := "Finds an order 🙂"
		made, warnings, err := s.Create(ctx, Draft{Name: "look_up", Description: &about, Config: new(configOf(t, sound))})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"config.actions[0].on_failure[1].target_agent: there is no agent billing"}, warnings); d != "" {
			t.Errorf("warnings (-want +got):\n%s", d)
		}
		got, err := s.Get(ctx, "look_up")
		if err != nil {
			t.Fatal(err)
		}
		if got.ID != made.ID || *got.Description != about || got.CreatedAt.IsZero() || !got.CreatedAt.Equal(made.CreatedAt) {
			t.Errorf("got %+v, made %+v", got, made)
		}
		if d := cmp.Diff(tree(t, configOf(t, sound)), tree(t, got.Config)); d != "" {
			t.Errorf("configuration (-given +stored):\n%s", d)
		}
		if body := string(got.Config.Actions[0].Body); !strings.Contains(body, `"n":1.50`) {
			t.Errorf("the body's numbers lost digits: %s", body)
		}
		_, _, err = s.Create(ctx, Draft{Name: "no good", Config: &Config{Parameters: []Parameter{{}}}})
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Validation || len(f.Details) != 3 {
			t.Errorf("a faulty draft: %v", err)
		}
	})
}

func TestNamesAreUniqueWithinATenant(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "look_up")
		if _, _, err := s.Create(ctx, Draft{Name: "look_up", Config: &Config{}}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second: %v, want a conflict", err)
		}
		create(t, foreign, "look_up")
	})
}

func TestTenantsDoNotSeeEachOther(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "look_up")
		unknown := fault.Missing("tool").Error()
		_, getErr := foreign.Get(ctx, "look_up")
		_, _, updateErr := foreign.Update(ctx, "look_up", []byte(`{"description":"stolen"}`))
		for what, err := range map[string]error{"get": getErr, "update": updateErr, "delete": foreign.Delete(ctx, "look_up")} {
			if !fault.Is(err, fault.NotFound) || err.Error() != unknown {
				t.Errorf("%s of another tenant's tool: %v, want %s", what, err, unknown)
			}
		}
		if page, total, err := foreign.List(ctx, 50, 0); err != nil || total != 0 || len(page) != 0 {
			t.Errorf("the other tenant lists %v, %d, %v", page, total, err)
		}
		for tenant, want := range map[string]map[string]bool{acme: {"look_up": true}, other: {}} {
			err := db.Tenant(tenant).Read(ctx, func(ctx context.Context, tx database.Tx) error {
				found, err := Directory{}.Existing(ctx, tx, []string{"look_up", "none", "look_up"})
				if d := cmp.Diff(want, found); d != "" {
					t.Errorf("existing for %s (-want +got):\n%s", tenant, d)
				}
				many, manyErr := FindMany(ctx, tx, []string{"look_up", "none"})
				if len(many) != len(want) || len(want) > 0 && many["look_up"].Name != "look_up" {
					t.Errorf("found for %s: %v", tenant, many)
				}
				return errors.Join(err, manyErr)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.Get(ctx, "look_up"); err != nil || got.Description != nil {
			t.Errorf("the tool changed: %+v, %v", got, err)
		}
	})
}

func TestList(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		for n := range 4 {
			create(t, s, fmt.Sprintf("tool%d", n))
		}
		create(t, foreign, "foreign")
		for _, test := range []struct {
			limit, offset int64
			want          string
		}{{50, 0, "tool3 tool2 tool1 tool0"}, {2, 1, "tool2 tool1"}, {2, 9, ""}} {
			page, total, err := s.List(ctx, test.limit, test.offset)
			var names []string
			for _, found := range page {
				names = append(names, found.Name)
			}
			if got := strings.Join(names, " "); err != nil || got != test.want || total != 4 {
				t.Errorf("%+v: got %q of %d, %v", test, got, total, err)
			}
		}
	})
}

func TestUpdate(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "look_up")
		update := func(patch string) *Tool {
			t.Helper()
			changed, _, err := s.Update(ctx, "look_up", []byte(patch))
			if err != nil {
				t.Fatalf("%s: %v", patch, err)
			}
			stored, err := s.Get(ctx, "look_up")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tree(t, changed.Config), tree(t, stored.Config)); d != "" {
				t.Errorf("%s: returned and stored differ:\n%s", patch, d)
			}
			return stored
		}
		got := update(`{"name":"other","description":"About","config":{"parameters":[{"name":"x","type":"number"}]}}`)
		if got.Name != "look_up" || *got.Description != "About" || len(got.Config.Parameters) != 1 || len(got.Config.Actions) != 4 {
			t.Errorf("got %+v", got)
		}
		if got = update(`{"description":null,"config":{"actions":null}}`); got.Description != nil || got.Config.Actions == nil || len(got.Config.Actions) != 0 || len(got.Config.Parameters) != 1 {
			t.Errorf("null removes: got %+v", got)
		}
		for patch, want := range map[string]string{
			`{"config":{"actions":[{"type":"no"}],"parameters":[{"name":"x"}]}}`: "config.parameters[0].type,config.actions[0].type",
			`{"description":"` + strings.Repeat("x", 2001) + `"}`:                "description",
			`{"config":{"parameters":{}}}`:                                       "config.parameters",
			`{"config":null}`:                                                    "config",
			`[]`:                                                                 "body",
		} {
			_, _, err := s.Update(ctx, "look_up", []byte(patch))
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Validation {
				t.Errorf("%.100s: %v", patch, err)
				continue
			}
			var fields []string
			for _, d := range f.Details {
				fields = append(fields, d.Field)
			}
			if got := strings.Join(fields, ","); got != want {
				t.Errorf("%.100s: faults in %s, want %s", patch, got, want)
			}
		}
		if after, err := s.Get(ctx, "look_up"); err != nil || len(after.Config.Parameters) != 1 {
			t.Errorf("refused updates changed the tool: %+v, %v", after, err)
		}
	})
}

func TestConcurrentUpdatesDoNotLoseEachOther(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		if _, _, err := s.Create(ctx, Draft{Name: "a", Config: new(configOf(t, `{"actions":[]}`))}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for _, patch := range []string{`{"description":"d"}`, `{"config":{"parameters":[{"name":"x","type":"string"}]}}`, `{"config":{"actions":[{"type":"end_call"}]}}`} {
			wg.Go(func() {
				if _, _, err := s.Update(ctx, "a", []byte(patch)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got, err := s.Get(ctx, "a"); err != nil || got.Description == nil || len(got.Config.Parameters) != 1 || len(got.Config.Actions) != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "look_up")
		if err := s.Delete(ctx, "look_up"); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, "look_up"); !fault.Is(err, fault.NotFound) {
			t.Errorf("a second time: %v", err)
		}
		create(t, s, "look_up")
	})
}

// Tools use the secrets that their requests refer to, in stored header values too.
func TestUseOfSecrets(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		var c Config
		if err := json.Unmarshal([]byte(`{"actions":[{"type":"api_call","url":"https://api.example.com/{{secrets.in_url}}",
			"headers":{"Authorization":"Bearer {{secrets.in_header}}","X-Key":"static {{secrets.in_static}}"},"body":{"k":["{{secrets.in_body}}"]},
			"on_failure":[{"type":"respond","message":"{{user.secrets}} secrets.in_text"}]}]}`), &c); err != nil {
			t.Fatal(err)
		}
		for _, store := range []Store{s, foreign} {
			if _, _, err := store.Create(ctx, Draft{Name: "look_up", Config: &c}); err != nil {
				t.Fatal(err)
			}
		}
		err := db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
			for secret, want := range map[string][]string{
				"in_url": {"look_up"}, "in_header": {"look_up"}, "in_static": {"look_up"}, "in_body": {"look_up"}, "in": nil, "in_text": nil,
			} {
				if got, err := (Directory{}).UsingSecret(ctx, tx, secret); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s is used by %v, %v; want %v", secret, got, err, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
