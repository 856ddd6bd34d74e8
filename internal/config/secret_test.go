package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every setting whose name suggests a secret can be read from a file, except for those that only name one.
func TestSecretsAreTagged(t *testing.T) {
	names := []string{"LIVEKIT_API_KEY", "AWS_ACCESS_KEY_ID", "PARLEY_MAX_KEY_RATE_LIMIT", "PARLEY_SIP_TLS_KEY"} // no secrets; the last one is a path
	sounds := regexp.MustCompile("SECRET|PASSWORD|KEY|TOKEN|^DATABASE_URL$|^REDIS_URL$")
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Server]()) {
		variable := field.Tag.Get("env")
		_, tagged := field.Tag.Lookup("secret")
		if want := sounds.MatchString(variable) && !slices.Contains(names, variable); tagged != want {
			t.Errorf("%s: the tag secret is there: %v", variable, tagged)
		}
	}
}

func TestSecretFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (string, string) {
		secret, err := SecretFromFile("JWT_SECRET")
		if err != nil {
			return secret, err.Error()
		}
		return secret, ""
	}
	t.Setenv("JWT_SECRET", "")
	if secret, problem := read(); secret != "" || problem != "" {
		t.Errorf("without a file: %q %s", secret, problem)
	}
	t.Setenv("JWT_SECRET_FILE", path)
	if _, problem := read(); !strings.HasPrefix(problem, "JWT_SECRET_FILE: "+path) {
		t.Errorf("a file that is not there: %s", problem)
	}
	write(" sesame \r\n")
	if secret, problem := read(); secret != " sesame " || problem != "" {
		t.Errorf("%q %s", secret, problem)
	}
	write("\n")
	if _, problem := read(); !strings.Contains(problem, "is empty") {
		t.Errorf("an empty file: %s", problem)
	}
	write("sesame")
	t.Setenv("JWT_SECRET", "open")
	if _, problem := read(); problem != "JWT_SECRET: JWT_SECRET and JWT_SECRET_FILE are both set, want one of them" {
		t.Errorf("both: %s", problem)
	}
}

func TestDataFolderIsTightened(t *testing.T) {
	dir := t.TempDir()
	s := Store{DataDir: dir}
	for name, content := range map[string]string{"jwt-secret": strings.Repeat("a", 64), "parley.db": "", "other": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), 0o664); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{".": 0o700, "jwt-secret": 0o600, "encryption-key": 0o600, "parley.db": 0o600, "other": 0o664} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
	// A folder that others share stays theirs.
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestAutoMeansNobodyElseIsServed(t *testing.T) {
	for _, c := range []struct {
		addr, public string
		want         bool
	}{
		{"127.0.0.1:8080", "", true},
		{"localhost:8080", "http://localhost:8080", true},
		{"127.0.0.1:8080", "http://[::1]:8080/", true},
		{"127.0.0.1:8080", "https://voice.example.com", false},
		{"127.0.0.1:8080", "http://192.0.2.1:8080", false},
		{"0.0.0.0:8080", "", false},
		{":8080", "", false},
		{"0.0.0.0:8080", "http://localhost:8080", false},
	} {
		s := Server{Addr: c.addr, PublicURL: c.public, AllowPrivateNetworks: "auto", Demo: "auto"}
		if s.PrivateNetworks() != c.want || s.DemoTenant() != c.want {
			t.Errorf("%s %s: private networks %v, demo %v, want %v", c.addr, c.public, s.PrivateNetworks(), s.DemoTenant(), c.want)
		}
	}
}
