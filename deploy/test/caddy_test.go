package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile" // the adapter "caddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

// Caddy accepts the Caddyfile, without warnings, and every module in it is set up. What caddy-l4 does on port 443 is left out: that
// module is no part of Caddy.
func TestCaddyfile(t *testing.T) {
	for name, value := range map[string]string{
		"PARLEY_DOMAIN": "voice.example.com", "LIVEKIT_DOMAIN": "livekit.example.com", "TURN_DOMAIN": "turn.example.com", "GRAFANA_DOMAIN": "grafana.example.com",
	} {
		t.Setenv(name, value)
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	dir := t.TempDir()
	run(t, "cp", composeFiles+"/production/caddy/Caddyfile", dir)
	if err := os.WriteFile(filepath.Join(dir, "turn.caddy"), []byte("admin off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "Caddyfile")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(text, map[string]any{"filename": path})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	var config caddy.Config
	if err := json.Unmarshal(adapted, &config); err != nil {
		t.Fatal(err)
	}
	if err := caddy.Validate(&config); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"dial":"127.0.0.1:8081"`, `"dial":"127.0.0.1:8082"`, `"uri":"/health/ready"`, `"voice.example.com"`, `"turn.example.com"`} {
		if !strings.Contains(string(adapted), want) {
			t.Errorf("the configuration lacks %s:\n%s", want, adapted)
		}
	}
}
