package e2e

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A user signs in at an OpenID Connect provider, in another program: zitadel/oidc's. The claim preferred_username stands for groups,
// which that provider has none of.
func TestSignInAtAProvider(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	idp := filepath.Join(dir, "provider")
	build := exec.Command("go", "build", "-C", "../tools/oidc", "-o", idp, "github.com/zitadel/oidc/v3/example/server")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free := func() string {
		t.Helper()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		return port
	}
	port := free()
	users, err := json.Marshal(map[string]any{
		"1": map[string]any{"ID": "1", "Username": "boss", "Password": "a password", "Email": "boss@example.com", "EmailVerified": true},
		"2": map[string]any{"ID": "2", "Username": "guest", "Password": "a password", "Email": "guest@example.com", "EmailVerified": true},
		"3": map[string]any{"ID": "3", "Username": "helper", "Password": "a password", "Email": "taken@example.com", "EmailVerified": true},
		"4": map[string]any{"ID": "4", "Username": "clerk", "Password": "a password"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "users.json"), users, 0o600); err != nil {
		t.Fatal(err)
	}
	issuer := "http://localhost:" + port + "/"
	s, err := start(filepath.Join(dir, "data"), map[string]string{
		"PARLEY_OIDC_ISSUER": issuer, "PARLEY_OIDC_CLIENT_ID": "web", "PARLEY_OIDC_CLIENT_SECRET": "secret", "PARLEY_OIDC_NAME": "Zitadel",
		"PARLEY_OIDC_GROUPS_CLAIM": "preferred_username", "PARLEY_OIDC_SCOPES": "boss=*,helper=calls:read agents:read,clerk=calls:read",
		"PARLEY_ADMIN_TENANT": "Acme", "PARLEY_ADMIN_EMAIL": "taken@example.com", "PARLEY_ADMIN_PASSWORD": "correct horse battery", "PARLEY_DEMO": "false",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	callback := s.URL + "/api/v1/auth/oidc/callback"
	browser := func() *http.Client {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		return &http.Client{Jar: jar, Timeout: time.Minute}
	}
	// Without the provider, the page to sign in says that it failed.
	if at := visit(t, browser(), s.URL+"/api/v1/auth/oidc", nil); at.Path != "/sign-in" || at.Query().Get("failed") != "failed" {
		t.Errorf("without the provider: %s", at)
	}
	provider := exec.Command(idp)
	provider.Env = append(os.Environ(), "PORT="+port, "USERS_FILE="+filepath.Join(dir, "users.json"), "REDIRECT_URI="+callback)
	if err := provider.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = provider.Process.Kill()
		_ = provider.Wait() // killed
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if response, err := http.Get(issuer + ".well-known/openid-configuration"); err == nil {
			_ = response.Body.Close()
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}

	// signIn goes through the provider's pages, and returns where the browser is then.
	signIn := func(b *http.Client, user string) *url.URL {
		t.Helper()
		at := visit(t, b, s.URL+"/api/v1/auth/oidc", nil)
		if !strings.HasPrefix(at.Path, "/login/") {
			t.Fatalf("the provider's page is %s", at)
		}
		return visit(t, b, at.Scheme+"://"+at.Host+"/login/username", url.Values{"username": {user}, "password": {"a password"}, "id": {at.Query().Get("authRequestID")}})
	}
	var methods struct{ OIDC struct{ Name, URL string } }
	if err := json.Unmarshal(browse(t, browser(), s.URL+"/api/v1/auth/methods", http.StatusOK), &methods); err != nil || methods.OIDC.Name != "Zitadel" || methods.OIDC.URL != "/api/v1/auth/oidc" {
		t.Errorf("methods %+v, %v", methods, err)
	}
	boss := browser()
	if at := signIn(boss, "boss"); at.Path != "/" {
		t.Fatalf("signed in at %s", at)
	}
	var me struct {
		User   struct{ ID, Email string }
		Tenant struct{ Name string }
		Scopes []string
	}
	read := func(b *http.Client) {
		t.Helper()
		if err := json.Unmarshal(browse(t, b, s.URL+"/api/v1/auth/me", http.StatusOK), &me); err != nil {
			t.Fatal(err)
		}
	}
	read(boss)
	first := me.User.ID
	if me.User.Email != "boss@example.com" || me.Tenant.Name != "Acme" || len(me.Scopes) != 1 || me.Scopes[0] != "*" {
		t.Errorf("the user is %+v", me)
	}
	again := browser()
	signIn(again, "boss")
	if read(again); me.User.ID != first {
		t.Error("the second sign-in makes a second user")
	}
	for user, reason := range map[string]string{"guest": "groups", "helper": "taken", "clerk": "email"} {
		b := browser()
		if at := signIn(b, user); at.Path != "/sign-in" || at.Query().Get("failed") != reason {
			t.Errorf("%s: %s, want the reason %s", user, at, reason)
		}
		browse(t, b, s.URL+"/api/v1/auth/me", http.StatusUnauthorized)
	}

	// A callback that this browser has not begun, or whose state is another's, signs nobody in.
	stranger := browser()
	stopped := browser()
	stopped.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), callback) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	at := visit(t, stopped, s.URL+"/api/v1/auth/oidc", nil)
	response, err := stopped.PostForm(at.Scheme+"://"+at.Host+"/login/username", url.Values{"username": {"boss"}, "password": {"a password"}, "id": {at.Query().Get("authRequestID")}})
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	stolen := response.Header.Get("Location")
	if !regexp.MustCompile(`[?&]code=.+`).MatchString(stolen) {
		t.Fatalf("the provider leads to %q", stolen)
	}
	if at := visit(t, stranger, stolen, nil); at.Path != "/sign-in" || at.Query().Get("failed") != "failed" {
		t.Errorf("another browser's callback: %s", at)
	}
	browse(t, stranger, s.URL+"/api/v1/auth/me", http.StatusUnauthorized)
}

// visit requests a page, by POST with a form, and returns where redirects have led.
func visit(t *testing.T, b *http.Client, to string, form url.Values) *url.URL {
	t.Helper()
	response, err := b.Get(to)
	if form != nil {
		response, err = b.PostForm(to, form)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.Request.URL
}

func browse(t *testing.T, b *http.Client, from string, status int) []byte {
	t.Helper()
	response, err := b.Get(from)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		t.Fatalf("%s answers %d, %v: %s", from, response.StatusCode, err, body)
	}
	return body
}
