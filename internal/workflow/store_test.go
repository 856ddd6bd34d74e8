package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// roster is the agents that exist.
type roster map[string]bool

func (r roster) Existing(context.Context, database.Tx, []string) (map[string]bool, error) {
	return r, nil
}

// each runs f on both databases with the stores of two tenants.
func each(t *testing.T, f func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		r := Registry{Agents: roster{"x": true, "y": true}}
		f(t, context.Background(), db, r.In(db.Tenant(acme)), r.In(db.Tenant(other)))
	})
}

func create(t *testing.T, s Store, slug string) *Workflow {
	t.Helper()
	w, _, err := s.Create(context.Background(), Draft{Slug: slug, Name: slug, Config: graphOf("a>b")})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCreateAndGet(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		const full = `{"nodes":[
			{"id":"a","agent_name":"x","is_entry":true,"is_exit":false,"skip_condition":"{{flags.ä}} == \"<b>\"","context_mapping":{"k":"workflow.k"},"position":{"x":1.5,"y":-2}},
			{"id":"b","agent_name":"y","is_entry":false,"is_exit":true}],
			"connections":[{"source_id":"a","target_id":"b","condition":"user.vip"}],"shared_context":[]}`
		description := "Sales 🙂"
		made, warnings, err := s.Create(ctx, Draft{Slug: "sales", Name: "Sales", Description: &description, Config: configOf(t, full)})
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		got, err := s.Get(ctx, "sales")
		if err != nil {
			t.Fatal(err)
		}
		if !got.IsActive || got.ID != made.ID || got.CreatedAt.IsZero() || !got.CreatedAt.Equal(made.CreatedAt) || got.Name != "Sales" || *got.Description != description {
			t.Errorf("got %+v, made %+v", got, made)
		}
		stored, err := json.Marshal(got.Config)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tree(t, full), tree(t, string(stored))); d != "" {
			t.Errorf("configuration (-given +stored):\n%s", d)
		}
	})
}

// A creation and an update answer with what can never lead anywhere; nothing of
// it is stored.
func TestWarnings(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		_, warnings, err := s.Create(ctx, Draft{Slug: "sales", Name: "Sales", Config: configOf(t, `{"nodes":[
			{"id":"a","agent_name":"x","is_entry":true,"is_exit":true,"context_mapping":{"k":"worklow.k"}}],"connections":[]}`)})
		if d := cmp.Diff([]string{"config.nodes[0].context_mapping.k: worklow.k leads nowhere: paths start with user, call, workflow, flags, vars, now, today; did you mean workflow.k?"}, warnings); err != nil || d != "" {
			t.Errorf("created: %v, warnings (-want +got):\n%s", err, d)
		}
		_, warnings, err = s.Update(ctx, "sales", []byte(`{"config":{"shared_context":["order","user.name"]}}`))
		if err != nil || len(warnings) != 2 || !strings.HasPrefix(warnings[1], "config.shared_context[1]: user.name can be no key") {
			t.Errorf("updated: %v, warnings %q", err, warnings)
		}
		_, warnings, err = s.Update(ctx, "sales", []byte(`{"config":{"shared_context":null,"nodes":[{"id":"a","agent_name":"x","is_entry":true,"is_exit":true}]}}`))
		if err != nil || len(warnings) > 0 {
			t.Errorf("mended: %v, warnings %q", err, warnings)
		}
	})
}

func TestCreateTellsAllFaults(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		config := graphOf("a>b b>a")
		config.Nodes[1] = Node{ID: "b", AgentName: "nobody"}
		_, _, err := s.Create(ctx, Draft{Slug: "Not OK", Config: config})
		wantFaults(t, err, "slug,name,config.nodes,config.connections,config.nodes[1].agent_name")
		if _, _, err := s.Create(ctx, Draft{Slug: "long", Name: "long", Config: Config{Nodes: make([]Node, MaxNodes+1), Connections: []Connection{}}}); !fault.Is(err, fault.Validation) {
			t.Errorf("too many nodes: %v", err)
		}
		if _, total, err := s.List(ctx, 50, 0, nil); err != nil || total != 0 {
			t.Errorf("%d workflows after refused ones, %v", total, err)
		}
	})
}

func TestSlugsAreUniqueWithinATenant(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "sales")
		if _, _, err := s.Create(ctx, Draft{Slug: "sales", Name: "x", Config: graphOf("a")}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second one: %v, want a conflict", err)
		}
		create(t, foreign, "sales")
	})
}

func TestTenantsDoNotSeeEachOther(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		before := create(t, s, "sales")
		unknown := fault.Missing("workflow").Error()
		for what, err := range map[string]error{
			"get":        second(foreign.Get(ctx, "sales")),
			"activate":   second(foreign.Activate(ctx, "sales")),
			"deactivate": second(foreign.Deactivate(ctx, "sales")),
			"update":     third(foreign.Update(ctx, "sales", []byte(`{"name":"stolen"}`))),
			"delete":     foreign.Delete(ctx, "sales"),
		} {
			if !fault.Is(err, fault.NotFound) || err.Error() != unknown {
				t.Errorf("%s of another tenant's workflow: %v, want %s", what, err, unknown)
			}
		}
		if page, total, err := foreign.List(ctx, 50, 0, nil); err != nil || total != 0 || len(page) != 0 {
			t.Errorf("the other tenant lists %v, %d, %v", page, total, err)
		}
		if slugs := using(t, db, other, "x"); len(slugs) != 0 {
			t.Errorf("for the other tenant, the agent is used by %v", slugs)
		}
		after, err := s.Get(ctx, "sales")
		if d := cmp.Diff(before, after); err != nil || d != "" {
			t.Errorf("the workflow changed: %v\n%s", err, d)
		}
	})
}

func TestList(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		for n := range 5 {
			create(t, s, fmt.Sprintf("w%d", n))
		}
		create(t, foreign, "foreign")
		if _, err := s.Deactivate(ctx, "w1"); err != nil {
			t.Fatal(err)
		}
		yes, no := true, false
		for _, test := range []struct {
			limit, offset int64
			active        *bool
			want          string
			total         int64
		}{
			{50, 0, nil, "w4 w3 w2 w1 w0", 5},
			{2, 1, nil, "w3 w2", 5},
			{2, 9, nil, "", 5},
			{50, 0, &yes, "w4 w3 w2 w0", 4},
			{50, 0, &no, "w1", 1},
		} {
			page, total, err := s.List(ctx, test.limit, test.offset, test.active)
			var slugs []string
			for _, w := range page {
				slugs = append(slugs, w.Slug)
			}
			if got := strings.Join(slugs, " "); err != nil || got != test.want || total != test.total {
				t.Errorf("%+v: got %q of %d, %v", test, got, total, err)
			}
		}
	})
}

func TestUpdate(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		w := create(t, s, "sales")
		update := func(changes string) {
			t.Helper()
			if _, _, err := s.Update(ctx, "sales", []byte(changes)); err != nil {
				t.Fatalf("%s: %v", changes, err)
			}
			var err error
			if w, err = s.Get(ctx, "sales"); err != nil {
				t.Fatal(err)
			}
		}
		update(`{"name":"New","description":"D","slug":"other"}`)
		if w.Name != "New" || *w.Description != "D" || w.Slug != "sales" || len(w.Config.Nodes) != 2 {
			t.Errorf("got %+v", w)
		}
		update(`{"config":{"shared_context":["k"]}}`)
		if len(w.Config.SharedContext) != 1 || len(w.Config.Nodes) != 2 || len(w.Config.Connections) != 1 {
			t.Errorf("got %+v", w.Config)
		}
		update(`{"config":{"connections":[]}}`)
		if len(w.Config.Connections) != 0 || len(w.Config.Nodes) != 2 {
			t.Errorf("got %+v", w.Config)
		}
		update(`{"description":null,"config":{"nodes":[{"id":"z","agent_name":"y","is_entry":true,"is_exit":true}],"shared_context":null}}`)
		if w.Description != nil || w.Config.SharedContext != nil || len(w.Config.Nodes) != 1 || w.Config.Nodes[0].ID != "z" {
			t.Errorf("got %+v", w)
		}
		update(`{}`)

		for changes, want := range map[string]string{
			`{"name":null}`:             "name",
			`{"name":""}`:               "name",
			`{"config":null}`:           "config.nodes,config.connections",
			`{"config":{"nodes":null}}`: "config.nodes",
			`{"config":{"nodes":[]}}`:   "config.nodes,config.nodes",
			`{"config":{"nodes":{}},"name":1,"description":[]}`: "name,description,config.nodes",
			`{"config":[]}`: "config",
			`[]`:            "body",
			``:              "body",
			`null`:          "body",
			`{"config":{"connections":[{"source_id":"z","target_id":"a"}]}}`:                                          "config.connections[0].target_id",
			`{"config":{"connections":[{"source_id":"z","target_id":"z"}]}}`:                                          "config.connections",
			`{"config":{"nodes":[{"id":"z","agent_name":"nobody","is_entry":true,"is_exit":true}],"connections":[]}}`: "config.nodes[0].agent_name",
		} {
			_, _, err := s.Update(ctx, "sales", []byte(changes))
			wantFaults(t, err, want)
		}
		after, err := s.Get(ctx, "sales")
		if d := cmp.Diff(w, after); err != nil || d != "" {
			t.Errorf("refused updates changed the workflow: %v\n%s", err, d)
		}
	})
}

func TestConcurrentUpdatesDoNotLoseEachOther(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "sales")
		changes := []string{`{"name":"N"}`, `{"description":"D"}`, `{"config":{"connections":[]}}`, `{"config":{"shared_context":["k"]}}`}
		var wg sync.WaitGroup
		for _, change := range changes {
			wg.Go(func() {
				if _, _, err := s.Update(ctx, "sales", []byte(change)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		w, err := s.Get(ctx, "sales")
		if err != nil {
			t.Fatal(err)
		}
		if w.Name != "N" || w.Description == nil || len(w.Config.Connections) != 0 || len(w.Config.SharedContext) != 1 {
			t.Errorf("an update is lost: %+v", w)
		}
	})
}

func TestActivityAndUsage(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "sales")
		create(t, s, "care")
		create(t, foreign, "foreign")
		wantUsing := func(name, want string) {
			t.Helper()
			if got := strings.Join(using(t, db, acme, name), " "); got != want {
				t.Errorf("%s is used by %q, want %q", name, got, want)
			}
		}
		wantUsing("x", "care sales")
		wantUsing("y", "")
		for range 2 { // again changes nothing
			if w, err := s.Deactivate(ctx, "care"); err != nil || w.IsActive || len(w.Config.Nodes) != 2 {
				t.Errorf("deactivate: %+v, %v", w, err)
			}
		}
		wantUsing("x", "sales")
		if w, err := s.Activate(ctx, "care"); err != nil || !w.IsActive {
			t.Errorf("activate: %+v, %v", w, err)
		}
		if _, err := s.Activate(ctx, "none"); !fault.Is(err, fault.NotFound) {
			t.Errorf("activate what is not there: %v", err)
		}
		wantUsing("x", "care sales")
		if _, _, err := s.Update(ctx, "care", []byte(`{"config":{"nodes":[{"id":"z","agent_name":"y","is_entry":true,"is_exit":true}],"connections":[]}}`)); err != nil {
			t.Fatal(err)
		}
		wantUsing("x", "sales")
		wantUsing("y", "care")
		if err := s.Delete(ctx, "care"); err != nil {
			t.Fatal(err)
		}
		wantUsing("y", "")
		if err := s.Delete(ctx, "care"); !fault.Is(err, fault.NotFound) {
			t.Errorf("a second time: %v", err)
		}
		create(t, s, "care") // the slug is free again
	})
}

// models accepts every provider.

// The two records together: a workflow never comes to name an agent that was
// deleted while it was made.
func TestAgentsInUseStay(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, _, _ Store) {
		agents := agent.Registry{Providers: catalogtest.Any{}, Usage: Usage{}}.In(db.Tenant(acme))
		workflows := Registry{Agents: agent.Directory{}}.In(db.Tenant(acme))
		var config agent.Config
		if err := json.Unmarshal([]byte(`{"prompt":{"system":"s"},"stt":{"provider":"p","model":"m"},"tts":{"provider":"p","voice_id":"v"},"llm":{"provider":"p","model":"m"}}`), &config); err != nil {
			t.Fatal(err)
		}
		for n := range 20 {
			slug := fmt.Sprintf("w%d", n)
			if _, _, err := agents.Create(ctx, agent.Draft{Name: "x", Config: config}); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			var made, deleted error
			wg.Go(func() {
				_, _, made = workflows.Create(ctx, Draft{Slug: slug, Name: slug, Config: graphOf("a>b")})
			})
			wg.Go(func() { deleted = agents.Delete(ctx, "x") })
			wg.Wait()
			switch {
			case made == nil && fault.Is(deleted, fault.Conflict) && strings.Contains(deleted.Error(), slug):
				if err := workflows.Delete(ctx, slug); err != nil {
					t.Fatal(err)
				}
				if err := agents.Delete(ctx, "x"); err != nil {
					t.Fatal(err)
				}
			case deleted == nil && fault.Is(made, fault.Validation):
			default:
				t.Fatalf("workflow: %v, deletion: %v", made, deleted)
			}
		}
	})
}

func using(t *testing.T, db *database.DB, tenant, name string) (slugs []string) {
	t.Helper()
	err := db.Tenant(tenant).Read(context.Background(), func(ctx context.Context, tx database.Tx) (err error) {
		slugs, err = Usage{}.WorkflowsUsing(ctx, tx, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slugs
}

func wantFaults(t *testing.T, err error, want string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Validation || strings.Join(paths(f.Details), ",") != want {
		t.Errorf("got %v, want faults in %s", err, want)
	}
}

func tree(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func second[A any](_ A, err error) error { return err }

func third[A, B any](_ A, _ B, err error) error { return err }
