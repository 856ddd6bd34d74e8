package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/audio"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/mcpclient"
	"parley/internal/prompt"
	sounds "parley/internal/sound"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// users says which active workflows use an agent.
type users map[string][]string

func (u users) WorkflowsUsing(_ context.Context, _ database.Tx, name string) ([]string, error) {
	return u[name], nil
}

// toolbox holds the tools there are.
type toolbox map[string]bool

func (toolbox) Bundled() []string { return []string{"office"} }

func (b toolbox) Existing(_ context.Context, _ database.Tx, names []string) (map[string]bool, error) {
	return b, nil
}

// each runs f on both databases with the stores of two tenants.
func each(t *testing.T, f func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		r := Registry{Providers: offered, Usage: users{"busy": {"sales", "support"}}}
		f(t, context.Background(), db, r.In(db.Tenant(acme)), r.In(db.Tenant(other)))
	})
}

func create(t *testing.T, s Store, name string) *Agent {
	t.Helper()
	a, _, err := s.Create(context.Background(), Draft{Name: name, Config: configOf(t, sound)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCreateAndGet(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		const full = `{"prompt":{"system":"Sei \"nett\" <b>","greeting":"Hallo {{user.name}} 🙂"},
			"stt":{"provider":"ear","model":"ear-1","language":"de"},"tts":{"provider":"mouth","voice_id":"v1","speed":1.25},
			"llm":{"provider":"brain","model":"brain-2","temperature":0,"max_tokens":300},"tools":[],
			"handoffs":[{"target_agent":"second","condition":"flags.x","context_pass":["k"]}],"languages":["de"],"default_language":"de",
			"turn":{"interruptions":false,"delay_ms":300}}`
		display := "Empfang"
		made, warnings, err := s.Create(ctx, Draft{Name: "first", DisplayName: &display, Config: configOf(t, full)})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"config.handoffs[0].target_agent: there is no agent second"}; cmp.Diff(want, warnings) != "" {
			t.Errorf("warnings %v, want %v", warnings, want)
		}
		got, err := s.Get(ctx, "first")
		if err != nil {
			t.Fatal(err)
		}
		if !got.IsActive || got.ID != made.ID || got.CreatedAt.IsZero() || !got.CreatedAt.Equal(made.CreatedAt) || *got.DisplayName != display {
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

func TestCreateTellsAllFaults(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		_, _, err := s.Create(ctx, Draft{Name: "Not OK"})
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Validation {
			t.Fatalf("got %v", err)
		}
		want := []string{"name", "config.prompt.system", "config.stt", "config.tts", "config.llm"}
		if d := cmp.Diff(want, paths(f.Details)); d != "" {
			t.Errorf("faults (-want +got):\n%s", d)
		}
	})
}

func TestNamesAreUniqueWithinATenant(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "desk")
		if _, _, err := s.Create(ctx, Draft{Name: "desk", Config: configOf(t, sound)}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second desk: %v, want a conflict", err)
		}
		create(t, foreign, "desk")
	})
}

func TestTenantsDoNotSeeEachOther(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, s, "desk")
		before, err := s.Get(ctx, "desk")
		if err != nil {
			t.Fatal(err)
		}
		unknown := fault.Missing("agent").Error()
		for what, err := range map[string]error{
			"get":        second(foreign.Get(ctx, "desk")),
			"activate":   second(foreign.Activate(ctx, "desk")),
			"deactivate": second(foreign.Deactivate(ctx, "desk")),
			"delete":     foreign.Delete(ctx, "desk"),
			"update":     third(foreign.Update(ctx, "desk", []byte(`{"display_name":"stolen"}`))),
		} {
			if !fault.Is(err, fault.NotFound) || err.Error() != unknown {
				t.Errorf("%s of another tenant's agent: %v, want %s", what, err, unknown)
			}
		}
		if page, total, err := foreign.List(ctx, 50, 0, nil); err != nil || total != 0 || len(page) != 0 {
			t.Errorf("the other tenant lists %v, %d, %v", page, total, err)
		}
		if found := findMany(t, db, other, "desk"); len(found) != 0 {
			t.Errorf("the other tenant gets %v", found)
		}
		if found := exist(t, db, other, "desk"); len(found) != 0 {
			t.Errorf("for the other tenant exist %v", found)
		}
		after, err := s.Get(ctx, "desk")
		if d := cmp.Diff(before, after); err != nil || d != "" {
			t.Errorf("the agent changed: %v\n%s", err, d)
		}
	})
}

func TestList(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		for n := range 5 {
			create(t, s, fmt.Sprintf("agent-%d", n))
		}
		create(t, foreign, "foreign")
		if _, err := s.Deactivate(ctx, "agent-1"); err != nil {
			t.Fatal(err)
		}
		yes, no := true, false
		for _, test := range []struct {
			limit, offset int64
			active        *bool
			want          string
			total         int64
		}{
			{50, 0, nil, "agent-4 agent-3 agent-2 agent-1 agent-0", 5},
			{2, 0, nil, "agent-4 agent-3", 5},
			{2, 4, nil, "agent-0", 5},
			{2, 9, nil, "", 5},
			{50, 0, &yes, "agent-4 agent-3 agent-2 agent-0", 4},
			{50, 0, &no, "agent-1", 1},
		} {
			page, total, err := s.List(ctx, test.limit, test.offset, test.active)
			var names []string
			for _, a := range page {
				names = append(names, a.Name)
			}
			if got := strings.Join(names, " "); err != nil || got != test.want || total != test.total {
				t.Errorf("%+v: got %q of %d, %v", test, got, total, err)
			}
		}
	})
}

func TestUpdate(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "desk")
		update := func(patch string) (*Agent, []string) {
			t.Helper()
			a, warnings, err := s.Update(ctx, "desk", []byte(patch))
			if err != nil {
				t.Fatalf("%s: %v", patch, err)
			}
			stored, err := s.Get(ctx, "desk")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(a.Config, stored.Config); d != "" {
				t.Errorf("%s: returned and stored differ:\n%s", patch, d)
			}
			return stored, warnings
		}
		a, warnings := update(`{"display_name":"Desk","config":{"llm":{"model":"brain-9","temperature":0.5},"tools":["a"]},"name":"other"}`)
		if *a.DisplayName != "Desk" || a.Name != "desk" || a.Config.LLM.Provider != "brain" || *a.Config.LLM.Temperature != 0.5 || a.Config.Prompt.System != "You are kind." {
			t.Errorf("got %+v", a)
		}
		if d := cmp.Diff([]string{"config.llm.model: brain-9 is not among the models known of brain", "config.tools[0]: there is no tool a"}, warnings); d != "" {
			t.Errorf("warnings (-want +got):\n%s", d)
		}
		if a, _ = update(`{"config":{"tools":["b","c"]}}`); len(a.Config.Tools) != 2 {
			t.Errorf("an array replaces: got %v", a.Config.Tools)
		}
		if a, _ = update(`{"display_name":null,"config":{"prompt":{"greeting":null},"llm":{"temperature":null},"tools":null}}`); a.DisplayName != nil || a.Config.Prompt.Greeting != "" || a.Config.LLM.Temperature != nil || a.Config.Tools != nil {
			t.Errorf("null removes: got %+v", a)
		}
		before, _ := update(`{}`)

		for patch, want := range map[string]string{
			`{"config":{"stt":null}}`:                               "config.stt",
			`{"config":{"prompt":{"system":null}}}`:                 "config.prompt.system",
			`{"config":null}`:                                       "config.prompt.system,config.stt,config.tts,config.llm",
			`{"config":{"llm":{"provider":"x"},"tts":{"speed":9}}}`: "config.tts.speed,config.llm.provider",
			`{"display_name":"` + strings.Repeat("x", 256) + `"}`:   "display_name",
			`{"config":{"llm":{"temperature":"hot"}}}`:              "config.llm.temperature",
			`[]`: "body",
			`{"config":{"handoffs":[{"target_agent":"x"},{"n":true}]}}`: "config.handoffs[1].target_agent",
		} {
			_, _, err := s.Update(ctx, "desk", []byte(patch))
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.Validation || strings.Join(paths(f.Details), ",") != want {
				t.Errorf("%s: %v, want faults in %s", patch, err, want)
			}
		}
		after, err := s.Get(ctx, "desk")
		if d := cmp.Diff(before, after); err != nil || d != "" {
			t.Errorf("refused updates changed the agent: %v\n%s", err, d)
		}
	})
}

func TestConcurrentUpdatesDoNotLoseEachOther(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "desk")
		var wg sync.WaitGroup
		for n := range 16 {
			wg.Go(func() {
				if _, _, err := s.Update(ctx, "desk", fmt.Appendf(nil, `{"config":{"turn":{"key%d":%d}}}`, n, n)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		a, err := s.Get(ctx, "desk")
		if err != nil {
			t.Fatal(err)
		}
		if keys := tree(t, string(a.Config.Turn)).(map[string]any); len(keys) != 16 {
			t.Errorf("%d of 16 updates are left: %v", len(keys), keys)
		}
	})
}

func TestActivity(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "desk")
		for range 2 { // again changes nothing
			if a, err := s.Deactivate(ctx, "desk"); err != nil || a.IsActive || a.Config.Prompt.System == "" {
				t.Errorf("deactivate: %+v, %v", a, err)
			}
		}
		if a, err := s.Get(ctx, "desk"); err != nil || a.IsActive {
			t.Errorf("after deactivate: %+v, %v", a, err)
		}
		if a, err := s.Activate(ctx, "desk"); err != nil || !a.IsActive {
			t.Errorf("activate: %+v, %v", a, err)
		}
		if _, err := s.Activate(ctx, "none"); !fault.Is(err, fault.NotFound) {
			t.Errorf("activate what is not there: %v", err)
		}
	})
}

func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "desk")
		create(t, s, "busy")
		if err := s.Delete(ctx, "desk"); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, "desk"); !fault.Is(err, fault.NotFound) {
			t.Errorf("a second time: %v", err)
		}
		err := s.Delete(ctx, "busy")
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "sales, support") {
			t.Errorf("an agent in use: %v, want a conflict that names its workflows", err)
		}
		if _, err := s.Deactivate(ctx, "busy"); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, "busy"); err != nil {
			t.Errorf("an inactive agent in use: %v", err)
		}
		create(t, s, "desk") // the name is free again
	})
}

func TestFindManyAndExisting(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		create(t, s, "a")
		create(t, s, "b")
		found := findMany(t, db, acme, "a", "c", "a", "b")
		if len(found) != 2 || found["a"].Config.LLM.Model != "brain-1" || found["b"].Name != "b" {
			t.Errorf("got %v", found)
		}
		if found := findMany(t, db, acme); len(found) != 0 {
			t.Errorf("of none: %v", found)
		}
		if d := cmp.Diff(map[string]bool{"a": true, "b": true}, exist(t, db, acme, "b", "a", "c", "b")); d != "" {
			t.Errorf("existing (-want +got):\n%s", d)
		}
	})
}

func TestToolsThatExistAreNoWarning(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		s.registry.Tools = toolbox{"here": true}
		config := configOf(t, sound)
		config.Tools = []string{"here", "gone"}
		_, warnings, err := s.Create(ctx, Draft{Name: "desk", Config: config})
		if d := cmp.Diff([]string{"config.tools[1]: there is no tool gone"}, warnings); err != nil || d != "" {
			t.Errorf("warnings, %v (-want +got):\n%s", err, d)
		}
	})
}

// Background sounds are of the tenant or bundled, also in a configuration that is not stored; hold sounds are the tenant's.
func TestBackgroundSounds(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		s.registry.Sounds = toolbox{"waiting": true}
		loud, late := 3.0, 20_000
		config := configOf(t, sound)
		config.HoldSound, config.Ambience, config.ThinkingSound = "office", &Ambience{Sound: "gone"}, &ThinkingSound{Sound: "waiting"}
		want := []fault.Detail{{Field: "config.hold_sound", Message: "there is no sound office"}, {Field: "config.ambience.sound", Message: "there is no sound gone; bundled are office"}}
		if _, _, err := s.Create(ctx, Draft{Name: "desk", Config: config}); cmp.Diff(want, faultsOf(err)) != "" {
			t.Errorf("create: %+v", faultsOf(err))
		}
		if _, err := s.Prepare(ctx, config); cmp.Diff(want, faultsOf(err)) != "" {
			t.Errorf("prepare: %+v", faultsOf(err))
		}
		config.HoldSound, config.Ambience, config.ThinkingSound = "", &Ambience{Sound: "No name", VolumeDB: &loud}, &ThinkingSound{AfterMS: &late}
		_, err := s.Prepare(ctx, config)
		var fields []string
		for _, d := range faultsOf(err) {
			fields = append(fields, d.Field)
		}
		if d := cmp.Diff([]string{"config.ambience.sound", "config.ambience.volume_db", "config.thinking_sound.sound", "config.thinking_sound.after_ms"}, fields); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		config.Ambience, config.ThinkingSound = &Ambience{Sound: "office"}, &ThinkingSound{Sound: "waiting"}
		if _, _, err := s.Create(ctx, Draft{Name: "desk", Config: config}); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int{"waiting": 1, "office": 1, "cafe": 0} {
			if err := db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
				used, err := Directory{}.UsingSound(ctx, tx, name)
				if len(used) != want {
					t.Errorf("%s is used by %q", name, used)
				}
				return err
			}); err != nil {
				t.Error(err)
			}
		}
	})
}

// A hold sound has to exist, on creation and on update; it may be removed again.
func TestHoldSound(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		s.registry.Sounds = toolbox{"waiting": true}
		config := configOf(t, sound)
		for name, want := range map[string]string{"gone": "there is no sound gone", "Not a name": nameHint} {
			config.HoldSound = name
			_, _, err := s.Create(ctx, Draft{Name: "desk", Config: config})
			if d := cmp.Diff([]fault.Detail{{Field: "config.hold_sound", Message: want}}, faultsOf(err)); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
		config.HoldSound = "waiting"
		if _, _, err := s.Create(ctx, Draft{Name: "desk", Config: config}); err != nil {
			t.Fatal(err)
		}
		_, _, err := s.Update(ctx, "desk", []byte(`{"config":{"hold_sound":"gone"}}`))
		if d := cmp.Diff([]fault.Detail{{Field: "config.hold_sound", Message: "there is no sound gone"}}, faultsOf(err)); d != "" {
			t.Errorf("update (-want +got):\n%s", d)
		}
		if a, _, err := s.Update(ctx, "desk", []byte(`{"config":{"hold_sound":null}}`)); err != nil || a.Config.HoldSound != "" {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// An agent is saved with a sound while the sound is deleted: one of the two is refused.
func TestHoldSoundIsDeletedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		s.registry.Sounds = sounds.Directory{}
		library := sounds.Registry{Agents: Directory{}}.In(db.Tenant(acme))
		var file bytes.Buffer
		if err := audio.WriteWAV(&file, audio.Tone(440, 8000, time.Second), 8000); err != nil {
			t.Fatal(err)
		}
		config := configOf(t, sound)
		for n := range 10 {
			config.HoldSound = fmt.Sprintf("sound%d", n)
			if _, err := library.Create(ctx, config.HoldSound, file.Bytes()); err != nil {
				t.Fatal(err)
			}
			var saved, deleted error
			var both sync.WaitGroup
			both.Go(func() { _, _, saved = s.Create(ctx, Draft{Name: fmt.Sprintf("agent%d", n), Config: config}) })
			both.Go(func() { deleted = library.Delete(ctx, config.HoldSound) })
			both.Wait()
			if (saved == nil) == (deleted == nil) || saved != nil && !fault.Is(saved, fault.Validation) || deleted != nil && !fault.Is(deleted, fault.Conflict) {
				t.Errorf("saved: %v; deleted: %v", saved, deleted)
			}
		}
	})
}

func TestPromptTemplatesThatExistAreNoWarning(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		s.registry.Prompts = prompt.Directory{}
		for tenant, slug := range map[string]string{acme: "tone", other: "theirs"} {
			d := prompt.Draft{Slug: slug, Body: prompt.Body{Name: slug, Category: prompt.DefaultCategory, Content: map[string]string{"en": "x"}}}
			if _, err := prompt.In(db.Tenant(tenant)).Create(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		config := configOf(t, sound)
		config.Prompt.System = "{{prompt.tone}} {{prompt.tone.warm}} {{prompt.theirs}} {{prompt.theirs.x}}"
		config.Prompt.Greeting = "{{prompt.greeting}} {{prompt.greting}}"
		_, warnings, err := s.Create(ctx, Draft{Name: "desk", Config: config})
		if d := cmp.Diff([]string{"config.prompt.system: there is no prompt template theirs", "config.prompt.greeting: there is no prompt template greting"}, warnings); err != nil || d != "" {
			t.Errorf("warnings, %v (-want +got):\n%s", err, d)
		}
	})
}

// Agents use the tools that they list and the templates that their texts refer to, while they are active.
func TestUseOfToolsAndPrompts(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		config := configOf(t, sound)
		config.Tools = []string{"book", "look_up"}
		config.HoldSound = "waiting"
		config.Prompt.System = `Be {{prompt.tone.warm | "kind"}}.`
		config.Turn = json.RawMessage(`{"silence_prompt":"{{prompt.silence}} {{secrets.spoken}}"}`)
		config.MCPServers = []mcpclient.ToolServer{{URL: "https://crm.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer {{ secrets.crm }}"}}}
		for _, name := range []string{"desk", "asleep"} {
			if _, _, err := s.Create(ctx, Draft{Name: name, Config: config}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := foreign.Create(ctx, Draft{Name: "theirs", Config: config}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Deactivate(ctx, "asleep"); err != nil {
			t.Fatal(err)
		}
		err := db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
			for _, tc := range []struct {
				uses func(context.Context, database.Tx, string) ([]string, error)
				name string
				want []string
			}{
				{Directory{}.UsingTool, "book", []string{"desk"}}, {Directory{}.UsingTool, "boo", nil},
				{Directory{}.UsingSound, "waiting", []string{"desk"}}, {Directory{}.UsingSound, "wait", nil},
				{Directory{}.UsingPrompt, "tone", []string{"desk"}}, {Directory{}.UsingPrompt, "silence", []string{"desk"}},
				{Directory{}.UsingPrompt, "ton", nil}, {Directory{}.UsingPrompt, "tone.warm", nil},
				{Directory{}.UsingSecret, "crm", []string{"desk"}}, {Directory{}.UsingSecret, "cr", nil}, {Directory{}.UsingSecret, "spoken", nil},
			} {
				if got, err := tc.uses(ctx, tx, tc.name); err != nil || !slices.Equal(got, tc.want) {
					t.Errorf("%s is used by %v, %v; want %v", tc.name, got, err, tc.want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// faultsOf returns the errors of fields.
func faultsOf(err error) []fault.Detail {
	var f *fault.Error
	if !errors.As(err, &f) {
		return nil
	}
	return f.Details
}

func findMany(t *testing.T, db *database.DB, tenant string, names ...string) (found map[string]*Agent) {
	t.Helper()
	err := db.Tenant(tenant).Read(context.Background(), func(ctx context.Context, tx database.Tx) (err error) {
		found, err = FindMany(ctx, tx, names)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func exist(t *testing.T, db *database.DB, tenant string, names ...string) (found map[string]bool) {
	t.Helper()
	err := db.Tenant(tenant).Write(context.Background(), func(ctx context.Context, tx database.Tx) (err error) {
		found, err = Directory{}.Existing(ctx, tx, names)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func tree(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func second[A any](_ A, err error) error        { return err }
func third[A, B any](_ A, _ B, err error) error { return err }
