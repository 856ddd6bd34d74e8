package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// The log line of a server's start has the changed settings, without secrets.
func TestChanged(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://parley:hush@db/parley")
	t.Setenv("REDIS_URL", "redis://:hush@cache")
	t.Setenv("PARLEY_METRICS_TOKEN", "hush-hush-hush-hush")
	t.Setenv("PARLEY_ADMIN_EMAIL", "ada@example.com")
	t.Setenv("PARLEY_SIP_OPEN_NUMBERS", "+4930123456")
	t.Setenv("OPENAI_BASE_URL", "https://me:hush@proxy.example/v1")
	t.Setenv("PARLEY_TRUSTED_PROXIES", "10.0.0.0/8,192.0.2.1")
	t.Setenv("PARLEY_SIP_PORT", "0")
	t.Setenv("PARLEY_SILENCE_TIMEOUT", "300s") // its default, in other words
	t.Setenv("PARLEY_JOIN_TIMEOUT", "90s")
	var s Server
	parser, err := kong.New(&s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if s.SilenceTimeout != 5*time.Minute {
		t.Fatal(s.SilenceTimeout)
	}
	got := strings.Trim(fmt.Sprint(s.Changed()...), "[]")
	want := "PARLEY_TRUSTED_PROXIES=10.0.0.0/8,192.0.2.1 PARLEY_SIP_PORT=0 PARLEY_JOIN_TIMEOUT=1m30s OPENAI_BASE_URL=https://proxy.example/v1"
	for setting := range strings.FieldsSeq(want) {
		if !strings.Contains(got, setting) {
			t.Errorf("%s is not told: %s", setting, got)
		}
	}
	if n := len(s.Changed()); n != 4 {
		t.Errorf("%d settings are told, want 4: %s", n, got)
	}
	for _, secret := range []string{"hush", "ada@", "+49"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is told: %s", secret, got)
		}
	}
}
