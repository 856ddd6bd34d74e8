package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

const composeFiles = root + "/deploy/compose"

// project reads compose files as `docker compose config` does: the specification's schema, interpolation, what services refer to.
func project(t *testing.T, dir string, env []string, files ...string) *types.Project {
	t.Helper()
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = filepath.Join(dir, f)
	}
	options, err := cli.NewProjectOptions(paths, cli.WithWorkingDirectory(dir), cli.WithEnv(env), cli.WithResolvedPaths(true), cli.WithInterpolation(true), cli.WithConsistency(true))
	if err != nil {
		t.Fatal(err)
	}
	p, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// production is the project of deploy/compose/production with the .env that secrets.sh makes.
func production(t *testing.T) *types.Project {
	t.Helper()
	dir := t.TempDir()
	run(t, "cp", "-r", composeFiles+"/production/.", dir)
	run(t, filepath.Join(dir, "secrets.sh"))
	if out, err := try(t, filepath.Join(dir, "secrets.sh")); err == nil {
		t.Errorf("secrets.sh replaces secrets: %s", out)
	}
	text, err := os.ReadFile(filepath.Join(dir, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			if strings.HasSuffix(line, "=") {
				t.Errorf("secrets.sh leaves %s empty", line)
			}
			env = append(env, line)
		}
	}
	return project(t, dir, env, "compose.yaml")
}

func TestComposeFiles(t *testing.T) {
	for name, p := range map[string]*types.Project{
		"single":             project(t, composeFiles+"/single", nil, "compose.yaml"),
		"local-models":       project(t, composeFiles+"/local-models", nil, "compose.yaml"),
		"local-models, GPUs": project(t, composeFiles+"/local-models", nil, "compose.yaml", "gpu.yaml"),
		"production":         production(t),
	} {
		for _, s := range p.Services {
			if s.Restart != "unless-stopped" && s.Name != "migrate" {
				t.Errorf("%s: %s is not started again: %q", name, s.Name, s.Restart)
			}
			if !strings.HasPrefix(s.Image, "parley") || s.Name == "caddy" {
				if s.Build == nil && !regexp.MustCompile(`:[^:/]+$`).MatchString(s.Image) {
					t.Errorf("%s: %s has the image %s without a version", name, s.Name, s.Image)
				}
				continue
			}
			if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) {
				t.Errorf("%s: %s has more rights than it needs", name, s.Name)
			}
			if s.Build == nil || !fileExists(filepath.Join(root, s.Build.Dockerfile)) {
				t.Errorf("%s: %s is built from %+v", name, s.Name, s.Build)
			}
		}
	}
}

// What production promises: two API nodes that drain, workers that outlast calls, secrets from .env alone.
func TestProductionCompose(t *testing.T) {
	p := production(t)
	for _, name := range []string{"postgres", "redis", "livekit", "sip", "migrate", "api-1", "api-2", "worker", "caddy", "prometheus", "grafana"} {
		if _, err := p.GetService(name); err != nil {
			t.Error(err)
		}
	}
	worker, err := p.GetService("worker")
	if err != nil {
		t.Fatal(err)
	}
	if worker.StopGracePeriod == nil || worker.StopGracePeriod.String() != "1h2m0s" || worker.GetScale() != 2 {
		t.Errorf("%d workers with %v to drain", worker.GetScale(), worker.StopGracePeriod)
	}
	// One PostgreSQL password in two places, and LiveKit's key in three.
	for _, name := range []string{"api-1", "api-2", "worker", "migrate"} {
		s, err := p.GetService(name)
		if err != nil {
			t.Fatal(err)
		}
		password := p.Services["postgres"].Environment["PARLEY_PASSWORD"]
		if password == nil || !strings.Contains(*s.Environment["DATABASE_URL"], ":"+*password+"@") {
			t.Errorf("%s does not reach the database", name)
		}
		if keys := *p.Services["livekit"].Environment["LIVEKIT_KEYS"]; keys != *s.Environment["LIVEKIT_API_KEY"]+": "+*s.Environment["LIVEKIT_API_SECRET"] {
			t.Errorf("%s has another key than LiveKit", name)
		}
	}
	// No file in git holds a secret.
	text, err := os.ReadFile(composeFiles + "/production/.env.example")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^[A-Z_]*(?:SECRET|PASSWORD|KEY)=.+$`).Find(text); m != nil {
		t.Errorf(".env.example has %s", m)
	}
	// What is mounted exists.
	for _, s := range p.Services {
		for _, v := range s.Volumes {
			inRepository := strings.HasPrefix(v.Source, "/") && strings.Contains(v.Source, "/deploy/")
			if v.Type == types.VolumeTypeBind && inRepository && !fileExists(v.Source) {
				t.Errorf("%s mounts %s, which does not exist", s.Name, v.Source)
			}
		}
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
