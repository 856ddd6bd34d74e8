package prompt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/template"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// each runs f on both databases with the stores of two tenants.
func each(t *testing.T, f func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		f(t, context.Background(), db, In(db.Tenant(acme)), In(db.Tenant(other)))
	})
}

func draft(t *testing.T, slug, text string) Draft {
	t.Helper()
	b := bodyOf(t, `{"name":"N","category":"greeting","content":{"en":"x"},"variables":[{"name":"a","type":"string","default":"d"}],"metadata":{"interruptible":true,"voice_speed":1.25}}`)
	b.Content["en"] = text
	return Draft{slug, b}
}

func create(t *testing.T, s Store, slug, text string) *Template {
	t.Helper()
	made, err := s.Create(t.Context(), draft(t, slug, text))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func slugs(t *testing.T, s Store, limit, offset int64, category string) (list string, total int64) {
	t.Helper()
	page, total, err := s.List(t.Context(), limit, offset, category)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range page {
		name := p.Slug
		if p.IsSystem() {
			name += "*"
		}
		names = append(names, name)
	}
	return strings.Join(names, " "), total
}

func TestDefaultsAreReadAndReplaced(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		if list, total := slugs(t, s, 50, 0, ""); list != "error* closing* greeting*" || total != 3 {
			t.Errorf("a new tenant lists %s of %d", list, total)
		}
		standard, err := s.Get(ctx, "greeting")
		if err != nil || !standard.IsSystem() || standard.Content["de"] == "" || standard.Category != "greeting" || standard.Version != 1 {
			t.Fatalf("the default: %+v, %v", standard, err)
		}
		_, updateErr := s.Update(ctx, "greeting", []byte(`{"name":"mine"}`))
		_, rollbackErr := s.Rollback(ctx, "greeting", 1)
		for what, err := range map[string]error{"update": updateErr, "rollback": rollbackErr, "delete": s.Delete(ctx, "greeting")} {
			if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "greeting is a template of the platform") || !strings.Contains(err.Error(), "create a template with the slug greeting") {
				t.Errorf("%s of a default: %v", what, err)
			}
		}
		create(t, s, "greeting", "Mine")
		if got, err := s.Get(ctx, "greeting"); err != nil || got.IsSystem() || got.Content["en"] != "Mine" {
			t.Errorf("the tenant's own: %+v, %v", got, err)
		}
		if list, total := slugs(t, s, 50, 0, "greeting"); list != "greeting" || total != 1 {
			t.Errorf("the tenant lists %s of %d", list, total)
		}
		if got, err := foreign.Get(ctx, "greeting"); err != nil || !got.IsSystem() {
			t.Errorf("another tenant's: %+v, %v", got, err)
		}
		if err := s.Delete(ctx, "greeting"); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, "greeting"); err != nil || got.ID != standard.ID {
			t.Errorf("after the delete: %+v, %v", got, err)
		}
	})
}

// Row-level security alone keeps tenants from writing the platform's rows.
func TestTenantsCannotWriteDefaults(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		if !db.Postgres() {
			return // SQLite has no second wall
		}
		databasetest.Tenant(t, db, acme, "acme")
		for statement, refused := range map[string]bool{
			"UPDATE prompts SET name = 'x'": false,
			"DELETE FROM prompts":           false,
			"INSERT INTO prompts (id, slug, name, category, content, variables, metadata, version, created_at, updated_at) VALUES ('" + other + "', 's', 'n', 'error', '{}', '[]', '{}', 1, now(), now())": true,
		} {
			err := db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				result, err := tx.ExecContext(ctx, statement)
				if err != nil {
					return err
				}
				if n, err := result.RowsAffected(); err != nil || n > 0 {
					t.Errorf("%s changed %d rows, %v", statement, n, err)
				}
				return nil
			})
			if (err != nil) != refused {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
}

func TestTemplatesBelongToTheirTenant(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		made := create(t, s, "hello", "Hello <b> 🙂")
		got, err := s.Get(ctx, "hello")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(draft(t, "", "Hello <b> 🙂").Body, got.Body); d != "" || got.ID != made.ID || !got.CreatedAt.Equal(made.CreatedAt) {
			t.Errorf("stored (-given +got):\n%s", d)
		}
		if _, err := s.Create(ctx, draft(t, "hello", "y")); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second: %v", err)
		}
		missing := fault.Missing("prompt").Error()
		_, getErr := foreign.Get(ctx, "hello")
		_, updateErr := foreign.Update(ctx, "hello", []byte(`{}`))
		_, rollbackErr := foreign.Rollback(ctx, "hello", 1)
		_, _, versionsErr := foreign.Versions(ctx, "hello", 10, 0)
		for what, err := range map[string]error{"get": getErr, "update": updateErr, "rollback": rollbackErr, "versions": versionsErr, "delete": foreign.Delete(ctx, "hello")} {
			if !fault.Is(err, fault.NotFound) || err.Error() != missing {
				t.Errorf("%s of another tenant's: %v", what, err)
			}
		}
		if own, err := exported(ctx, foreign); err != nil || len(own) != 0 {
			t.Errorf("the other tenant exports %v, %v", own, err)
		}
		create(t, foreign, "hello", "theirs")
		if list, total := slugs(t, s, 1, 1, ""); list != "error*" || total != 4 {
			t.Errorf("second page %s of %d", list, total)
		}
	})
}

func TestVersions(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "hello", "one")
		for _, patch := range []string{`{"content":{"en":"two"}}`, `{"content":{"en":null,"de":"drei"},"description":"D","metadata":{"interruptible":null}}`} {
			if _, err := s.Update(ctx, "hello", []byte(patch)); err != nil {
				t.Fatalf("%s: %v", patch, err)
			}
		}
		got, err := s.Get(ctx, "hello")
		if err != nil || got.Version != 3 || len(got.Content) != 1 || got.Content["de"] != "drei" || len(got.Metadata) != 1 || *got.Description != "D" {
			t.Errorf("after two updates: %+v, %v", got, err)
		}
		for patch, field := range map[string]string{`{"content":{"de":null}}`: "content", `{"category":"poem"}`: "category", `{"content":"x"}`: "content", `7`: "body"} {
			_, err := s.Update(ctx, "hello", []byte(patch))
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Validation || f.Details[0].Field != field {
				t.Errorf("%s: %v", patch, err)
			}
		}
		page, total, err := s.Versions(ctx, "hello", 2, 1)
		if err != nil || total != 3 || len(page) != 2 || page[0].Version != 2 || page[0].Content["en"] != "two" || page[1].Content["en"] != "one" {
			t.Errorf("versions %+v of %d, %v", page, total, err)
		}
		if page, total, err := s.Versions(ctx, "hello", 100, math.MaxInt64); err != nil || total != 3 || len(page) != 0 {
			t.Errorf("behind the last version: %+v of %d, %v", page, total, err)
		}
		back, err := s.Rollback(ctx, "hello", 1)
		if err != nil || back.Version != 4 || back.Content["en"] != "one" || back.Description != nil {
			t.Errorf("rolled back: %+v, %v", back, err)
		}
		if again, err := s.Rollback(ctx, "hello", 4); err != nil || again.Version != 4 {
			t.Errorf("to the present version: %+v, %v", again, err)
		}
		if _, err := s.Rollback(ctx, "hello", 9); !fault.Is(err, fault.Validation) {
			t.Errorf("to none: %v", err)
		}
		for n := range database.KeptVersions {
			if _, err := s.Update(ctx, "hello", fmt.Appendf(nil, `{"name":"n%d"}`, n)); err != nil {
				t.Fatal(err)
			}
		}
		if _, total, err := s.Versions(ctx, "hello", 1, 0); err != nil || total != database.KeptVersions+1 {
			t.Errorf("%d versions are kept, %v", total, err)
		}
		if err := s.Delete(ctx, "hello"); err != nil {
			t.Fatal(err)
		}
		create(t, s, "hello", "anew")
		if page, total, err := s.Versions(ctx, "hello", 10, 0); err != nil || total != 1 || page[0].Content["en"] != "anew" {
			t.Errorf("versions of a new one: %+v of %d, %v", page, total, err)
		}
		if page, total, err := s.Versions(ctx, "closing", 10, 5); err != nil || total != 1 || len(page) != 0 {
			t.Errorf("versions of a default: %+v of %d, %v", page, total, err)
		}
	})
}

func TestConcurrentUpdatesDoNotLoseEachOther(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "hello", "x")
		var wg sync.WaitGroup
		for n := range 12 {
			wg.Go(func() {
				if _, err := s.Update(ctx, "hello", fmt.Appendf(nil, `{"metadata":{"k%d":%d}}`, n, n)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got, err := s.Get(ctx, "hello"); err != nil || len(got.Metadata) != 14 || got.Version != 13 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestImportAndExport(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "b", "old")
		create(t, s, "same", "same")
		drafts := []Draft{draft(t, "c", "C"), draft(t, "b", "new"), draft(t, "same", "same"), draft(t, "Bad", ""), draft(t, "c", "twice")}
		_, err := s.Import(ctx, drafts, false)
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Details) != 3 || f.Details[0].Field != "templates[3].slug" || f.Details[1].Field != "templates[3].content.en" || f.Details[2].Field != "templates[4].slug" {
			t.Fatalf("a faulty import: %v", err)
		}
		if list, _ := slugs(t, s, 50, 0, "greeting"); list != "same b greeting*" {
			t.Errorf("a refused import left %s", list)
		}
		done, err := s.Import(ctx, drafts, true)
		if err != nil || done.Created != 1 || done.Updated != 2 || len(done.Errors) != 3 {
			t.Errorf("a partial import: %+v, %v", done, err)
		}
		own, err := exported(ctx, s)
		if err != nil || len(own) != 3 || own[0].Slug != "b" || own[0].Content["en"] != "new" || own[0].Version != 2 || own[1].Slug != "c" || own[2].Version != 1 {
			t.Errorf("export: %+v, %v", own, err)
		}
		drafts = nil
		for _, o := range own {
			drafts = append(drafts, Draft{o.Slug, o.Body})
		}
		if done, err := foreign.Import(ctx, drafts, false); err != nil || done.Created != 3 || done.Updated != 0 || len(done.Errors) != 0 {
			t.Errorf("another tenant's import: %+v, %v", done, err)
		}
		if _, err := s.Import(ctx, make([]Draft, MaxImport+1), true); !fault.Is(err, fault.Validation) {
			t.Errorf("too many: %v", err)
		}
		if done, err := s.Import(ctx, nil, false); err != nil || done.Created+done.Updated != 0 {
			t.Errorf("of none: %+v, %v", done, err)
		}
	})
}

func TestResolve(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "greeting", "Hello {{user.name}}, {{a}} {{gone}}")
		create(t, foreign, "secret", "theirs")
		const text = "{{prompt.greeting}}|{{prompt.greeting.voice_speed}}|{{prompt.greeting.nothing}}|{{prompt.closing}}|{{prompt.secret}}|{{prompt.unknown}}"
		scope := scopeOf(t, `{"user":{"name":"{{Ann}}","language":"de"}}`)
		err := db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
			bodies, err := Find(ctx, tx, Slugs(text))
			if err != nil {
				return err
			}
			values, missing := bodies.Resolve(Slugs(text), "de-AT", scope)
			if d := cmp.Diff([]string{"gone"}, missing); d != "" {
				t.Errorf("missing (-want +got):\n%s", d)
			}
			rendered, absent := template.Render(text, template.Scope{"prompt": values})
			if want := "Hello {{Ann}}, d |1.25||Vielen Dank für Ihren Anruf. Auf Wiederhören!||"; rendered != want {
				t.Errorf("got  %s\nwant %s", rendered, want)
			}
			if d := cmp.Diff([]string{"prompt.greeting.nothing", "prompt.secret", "prompt.unknown"}, absent); d != "" {
				t.Errorf("absent (-want +got):\n%s", d)
			}
			none, err := Find(ctx, tx, nil)
			if len(none) != 0 {
				t.Errorf("of none: %v", none)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// exported are the templates of an export.
func exported(ctx context.Context, s Store) (templates []Template, err error) {
	err = s.Export(ctx, func(t *Template) error {
		templates = append(templates, *t)
		return nil
	})
	return templates, err
}

// An export of several pages has every template once, in order of slugs, and stops at an error of its callback.
func TestExportOfManyTemplates(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		s := In(db.Tenant(acme))
		for _, n := range []int{exportPage, 2*exportPage + 3} {
			var drafts []Draft
			for i := range n {
				drafts = append(drafts, Draft{Slug: fmt.Sprintf("t%04d", i), Body: Body{Name: "n", Category: DefaultCategory, Content: map[string]string{"en": "x"}}})
			}
			if _, err := s.Import(t.Context(), drafts, false); err != nil {
				t.Fatal(err)
			}
			all, err := exported(t.Context(), s)
			if err != nil || len(all) != n {
				t.Fatalf("%d templates, %v; want %d", len(all), err, n)
			}
			for i := range all {
				if all[i].Slug != drafts[i].Slug {
					t.Errorf("template %d is %s", i, all[i].Slug)
				}
			}
		}
		enough, taken := errors.New("enough"), 0
		if err := s.Export(t.Context(), func(*Template) error { taken++; return enough }); !errors.Is(err, enough) || taken != 1 {
			t.Errorf("%v after %d", err, taken)
		}
	})
}

func TestDefaultsOfVariablesAreBounded(t *testing.T) {
	for size, want := range map[int]int{MaxDefault: 0, MaxDefault + 1: 1} {
		var i validation
		i.variables([]Variable{{Name: "a", Type: "string", Default: []byte(`"` + strings.Repeat("x", size-2) + `"`)}})
		if len(i.Faults) != want {
			t.Errorf("%d bytes: %v", size, i.Faults)
		}
	}
}

// Changes of one field of a large template keep few earlier versions of its texts.
func TestVersionsAreBoundedInBytes(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, _ *database.DB, s, _ Store) {
		content := map[string]string{}
		for n := range 10 {
			content[string([]byte{'a' + byte(n), 'a'})] = strings.Repeat("x", 100_000)
		}
		if _, err := s.Create(ctx, Draft{Slug: "large", Body: Body{Name: "large", Category: DefaultCategory, Content: content}}); err != nil {
			t.Fatal(err)
		}
		for n := range 10 {
			if _, err := s.Update(ctx, "large", fmt.Appendf(nil, `{"name":"n%d"}`, n)); err != nil {
				t.Fatal(err)
			}
		}
		page, total, err := s.Versions(ctx, "large", 10, 0)
		if err != nil || total != 5 || page[1].Name != "n8" {
			t.Errorf("%d versions of 1 MB are kept, %v; want the latest, and 4 MiB of those before", total, err)
		}
	})
}
