package e2e

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/page"
	"parley/internal/caller"
	"parley/internal/database/databasetest"
	"parley/internal/provider/emulator"
)

// blocksOf returns the blocks of a document in a language.
func blocksOf(t *testing.T, path, language string) (texts []string) {
	t.Helper()
	for _, b := range page.Blocks(document(t, path)) {
		if b.Language == language {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

// Every block of commands in a document is run by a test, as it stands there but for addresses, keys and sizes.
func TestBlocksOfDocumentsAreRun(t *testing.T) {
	t.Parallel()
	run := map[string]struct {
		blocks int
		by     string
	}{
		"README.md":                           {4, "TestCommandsOfDocuments; make run is how CI and every tester starts"},
		"docs/agents.md":                      {5, "TestCommandsOfDocuments"},
		"docs/cost.md":                        {1, "TestCommandsOfDocuments"},
		"docs/configuration.md":               {3, "TestCommandsOfDocuments, TestCommandsOfConfiguration"},
		"docs/deployment.md":                  {2, "TestTarballHoldsACall"},
		"docs/evaluation.md":                  {2, "TestCommandsOfDocuments"},
		"docs/live-control.md":                {1, "TestCallIsControlled"},
		"docs/offline.md":                     {3, "TestCommandsOfDocuments"},
		"docs/operations.md":                  {7, "TestCommandsOfOperations"},
		"docs/performance.md":                 {1, "TestCommandsOfPerformance"},
		"docs/phone.md":                       {6, "TestPhoneCommandsOfDocuments"},
		"docs/privacy.md":                     {1, "TestCommandsOfDocuments"},
		"docs/providers.md":                   {2, "TestCommandsOfProviders, TestSelfHostedModelsOfProviders"},
		"docs/transfers.md":                   {1, "TestHoldSound"},
		"docs/workflows.md":                   {7, "TestCommandsOfDocuments"},
		"deploy/tarball/README.md":            {2, "TestTarballHoldsACall"},
		"examples/batch-dispatch/README.md":   {1, "e2e/examples"},
		"examples/clinic/README.md":           {3, "e2e/examples"},
		"examples/tool-server/README.md":      {1, "e2e/examples"},
		"examples/web-talk/README.md":         {1, "e2e/examples"},
		"examples/webhook-receiver/README.md": {3, "e2e/examples"},
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "clients/*/*.md", "examples/*.md", "examples/*/*.md", "deploy/*/*.md", "deploy/*/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			path = strings.TrimPrefix(path, "../")
			if n := len(blocksOf(t, path, "sh")); n != run[path].blocks {
				t.Errorf("%s has %d blocks of commands, and tests run %d (%s)", path, n, run[path].blocks, run[path].by)
			}
		}
	}
}

// Commands and flags that documents name within sentences exist.
func TestInlineCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	help := map[string]string{} // by command
	usage := func(command string) string {
		if _, known := help[command]; !known {
			p, err := launch(nil, append(strings.Fields(command), "--help")...)
			if err != nil {
				t.Fatal(err)
			}
			code, err := p.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			help[command] = ""
			if code == 0 {
				help[command] = p.Out.String()
			}
		}
		return help[command]
	}
	flags := regexp.MustCompile(`--[a-z][a-z-]*`)
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range append(pages, "../README.md", "../CONTRIBUTING.md", "../deploy/tarball/README.md") {
		path = strings.TrimPrefix(path, "../")
		for _, m := range regexp.MustCompile("`(?:bin/|\\./)?parley ([a-z][^`\n]*)`").FindAllStringSubmatch(document(t, path), -1) {
			seen++
			words := strings.Fields(m[1])
			command := words[0]
			if len(words) > 1 && regexp.MustCompile(`^[a-z]+$`).MatchString(words[1]) {
				command += " " + words[1]
			}
			text := usage(command)
			if text == "" {
				t.Errorf("%s names parley %s, which is no command", path, command)
			}
			for _, flag := range flags.FindAllString(m[1], -1) {
				several := slices.Contains([]string{"tenant", "number", "user", "key", "calls", "providers"}, command)
				if !several && !strings.Contains(text, flag) {
					t.Errorf("%s: parley %s has no %s", path, command, flag)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d commands were found", seen)
	}
}

// The commands of docs/configuration.md for several machines: the schema is brought up to date, and a call is held by a server and a
// worker of their own, with PostgreSQL and an outside LiveKit.
func TestCommandsOfConfiguration(t *testing.T) {
	t.Parallel()
	blocks := blocksOf(t, "docs/configuration.md", "sh")
	migrate, machines := blocks[1], blocks[2]
	replaced := strings.NewReplacer(
		"DATABASE_URL=postgres://parley:…@db.example.com/parley", "DATABASE_URL='"+databasetest.EmptyPostgresURL(t)+"'",
		"LIVEKIT_URL=wss://livekit.example.com LIVEKIT_API_KEY=… LIVEKIT_API_SECRET=…", "LIVEKIT_URL="+outside(t)+" LIVEKIT_API_KEY="+outsideKey+" LIVEKIT_API_SECRET="+outsideSecret,
	)
	settingsLine, processes, found := strings.Cut(machines, "\n")
	if !found || strings.Count(processes, "\n") != 2 {
		t.Fatalf("the page starts\n%s", machines)
	}
	sh := newShell(t, shared(t))
	out := sh.run(t, replaced.Replace(migrate+settingsLine)+"\nenv")
	settings := map[string]string{"PARLEY_DEMO": "true"}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if slices.Contains([]string{"DATABASE_URL", "JWT_SECRET", "ENCRYPTION_KEY", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"}, name) {
			settings[name] = value
		}
	}
	if len(settings) != 7 {
		t.Fatalf("the page exports %v", slices.Sorted(maps.Keys(settings)))
	}
	var s *binary.Server
	for line := range strings.Lines(processes) {
		command, _, _ := strings.Cut(line, "#")
		words := strings.Fields(command)
		if words[1] == "serve" {
			s = serve(t, filepath.Join(t.TempDir(), "data"), settings, words[2:]...)
			continue
		}
		settings["PARLEY_DATA_DIR"] = filepath.Join(t.TempDir(), "worker")
		worker, err := launch(settings, words[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := worker.Stop(); err != nil {
				t.Error(err)
			}
			if t.Failed() {
				t.Logf("log of the worker:\n%s", worker.Log.String())
			}
		})
	}
	if r := talk(t, s, caller.Options{Agent: "demo", Say: []string{"thank you very much goodbye"}}); r.Status != client.Completed {
		t.Errorf("the call is %+v", r)
	}
}

// The command of docs/performance.md for a running server, with fewer callers for a shorter time.
func TestCommandsOfPerformance(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for range 2 {
		defer acquireLine()()
	}
	sh := newShell(t, s)
	command := blocksOf(t, "docs/performance.md", "sh")[0]
	smaller := strings.NewReplacer("--server https://voice.example.com", "--server "+s.URL, "--api-key K", "--api-key "+s.Key, "--agent NAME", "--agent demo",
		"--calls 60 --ramp 10s --duration 60s", "--calls 2 --ramp 1s --duration 10s")
	out := sh.run(t, smaller.Replace(command))
	var f caller.Figures
	if err := json.Unmarshal([]byte(out), &f); err != nil || f.Calls != 2 || f.Started != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

// The check of docs/providers.md reaches each vendor whose key it sets.
func TestCommandsOfProviders(t *testing.T) {
	t.Parallel()
	sentence := []string{"Good morning, what are your opening hours?"}
	v := newVendors(t, script{heard: map[string][]string{"deepgram": sentence}, answers: openingHours})
	speech := emulator.NewCompatible(t, emulator.Options{Key: keyOf("openai"), Speak: newSynthesiser(t).say},
		emulator.Compatible{OpenAI: true, Realtime: "openai", Recognizer: emulator.RecognizerScript{Lines: sentence}})
	t.Cleanup(speech.Close)
	openAI := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		target := v["openai"].URL
		if strings.HasPrefix(r.In.URL.Path, "/v1/audio/") || r.In.URL.Query().Get("intent") == "transcription" {
			target = speech.URL
		}
		to, err := url.Parse(target)
		if err != nil {
			t.Error(err)
			return
		}
		r.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host})
		r.Out.Host = to.Host
	}})
	t.Cleanup(openAI.Close)
	command := regexp.MustCompile(`([A-Z]+)_API_KEY=…`).ReplaceAllStringFunc(blocksOf(t, "docs/providers.md", "sh")[0], func(setting string) string {
		name, _, _ := strings.Cut(setting, "=")
		return name + "=" + keyOf(strings.ToLower(strings.TrimSuffix(name, "_API_KEY")))
	})
	out := newShell(t, shared(t)).run(t, command, "DEEPGRAM_BASE_URL="+v["deepgram"].URL, "CARTESIA_BASE_URL="+v["cartesia"].URL, "OPENAI_BASE_URL=ws"+strings.TrimPrefix(openAI.URL, "http")+"/v1")
	for _, vendor := range []string{"deepgram", "openai", "cartesia"} {
		if !regexp.MustCompile(`(?m)` + vendor + ` .* ok `).MatchString(out) {
			t.Errorf("%s is not checked:\n%s", vendor, out)
		}
	}
}

// The settings and the agent of docs/providers.md for models of one's own answer in writing.
func TestSelfHostedModelsOfProviders(t *testing.T) {
	t.Parallel()
	h := newSelfHosted(t, "")
	settings := map[string]string{}
	for line := range strings.Lines(blocksOf(t, "docs/providers.md", "sh")[1]) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		settings[name] = value
	}
	for name, address := range h.settings() {
		if strings.HasSuffix(name, "_BASE_URL") && settings[name] == "" {
			t.Errorf("the page does not set %s", name)
		}
		settings[name] = address
	}
	settings["PARLEY_DEMO"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(blocksOf(t, "docs/providers.md", "json")[0]), nil)
	env := []string{"PARLEY_API_KEY=" + s.Key}
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	out := newShell(t, s).run(t, `bin/parley chat --agent desk --json --say "what are your opening hours"`, env...)
	if !strings.Contains(strings.ToLower(out), "eleven in the morning") {
		t.Errorf("the agent answers %s", out)
	}
}
