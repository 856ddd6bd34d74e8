package examples

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// The receivers accept what Parley sends, and nothing that it did not sign. They run in sequence: the tenant has one webhook.
func TestWebhookReceiver(t *testing.T) {
	commands := readme(t, "webhook-receiver", "sh")
	if len(commands) != 3 {
		t.Fatalf("the README has %d commands, want three: the webhook, its test, a signed body", len(commands))
	}
	starts := strings.Split(strings.TrimSpace(readme(t, "webhook-receiver", "console")[0]), "\n")
	if len(starts) != 3 {
		t.Fatalf("the README starts %q, want three receivers", starts)
	}
	for _, start := range starts {
		t.Run(strings.Fields(start)[1], func(t *testing.T) { receives(t, slices.Clone(commands), start) })
	}
}

func receives(t *testing.T, commands []string, start string) {
	sh := newShell(t)
	number, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(number)
	for n := range commands {
		commands[n] = strings.ReplaceAll(commands[n], ":9000", ":"+port)
	}
	made := output(t, sh, commands[0])
	var hook client.Webhook
	if err := json.NewDecoder(strings.NewReader(made)).Decode(&hook); err != nil {
		t.Fatal(err)
	}
	r := launch(t, sh, start, map[string]string{"WEBHOOK_SECRET": hook.Secret, "PORT": port})
	url := "http://" + net.JoinHostPort("127.0.0.1", port)
	awaitListener(t, url)

	// Parley's own delivery.
	sent := output(t, sh, commands[1])
	var test client.TestDelivery
	if err := json.NewDecoder(strings.NewReader(sent)).Decode(&test); err != nil {
		t.Fatal(err)
	}
	want := []string{"call.test " + test.EventID}
	printed(t, r, want)

	now := time.Now()
	for _, c := range []struct {
		name   string
		body   string // whose id is new, or not
		header func(body string) string
		status int
	}{
		{"valid", "evt_valid", func(b string) string { return sign(b, now, hook.Secret) }, 204},
		{"the same event again", "evt_valid", func(b string) string { return sign(b, now, hook.Secret) }, 204},
		{"rotation, ours is the old secret", "evt_old", func(b string) string { return sign(b, now, "whsec_new", hook.Secret) }, 204},
		{"rotation, ours is the new secret", "evt_new", func(b string) string { return sign(b, now, hook.Secret, "whsec_old") }, 204},
		{"almost too old", "evt_late", func(b string) string { return sign(b, now.Add(-280*time.Second), hook.Secret) }, 204},
		{"too old", "evt_a", func(b string) string { return sign(b, now.Add(-310*time.Second), hook.Secret) }, 401},
		{"in the future", "evt_b", func(b string) string { return sign(b, now.Add(400*time.Second), hook.Secret) }, 401},
		{"another secret", "evt_c", func(b string) string { return sign(b, now, "whsec_other") }, 401},
		{"another body", "evt_d", func(b string) string { return sign(b+" ", now, hook.Secret) }, 401},
		{"another time", "evt_e", func(b string) string {
			return strings.Replace(sign(b, now, hook.Secret), "t=", "t=1", 1)
		}, 401},
		{"no signature", "evt_f", func(string) string { return "" }, 401},
		{"no v1", "evt_g", func(string) string { return fmt.Sprintf("t=%d", now.Unix()) }, 401},
		{"no time", "evt_h", func(b string) string { _, v1, _ := strings.Cut(sign(b, now, hook.Secret), ","); return v1 }, 401},
		{"not hexadecimal", "evt_i", func(string) string { return fmt.Sprintf("t=%d,v1=zz", now.Unix()) }, 401},
		{"cut short", "evt_j", func(b string) string { s := sign(b, now, hook.Secret); return s[:len(s)-2] }, 401},
		{"garbage", "evt_k", func(string) string { return "=,,t=,v1,t=-1" }, 401},
	} {
		// White space in the body, which a parser would lose.
		body := fmt.Sprintf("{\"id\": %q,\n  \"type\": \"call.completed\", \"data\": {\"note\": \"größer\"}}", c.body)
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("X-Webhook-Signature", c.header(body))
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, r.Log.String())
		}
		answer.Body.Close()
		if answer.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", c.name, answer.StatusCode, c.status)
		}
		if line := "call.completed " + c.body; c.status == 204 && !slices.Contains(want, line) {
			want = append(want, line)
		}
	}

	if out := output(t, sh, commands[2], "WEBHOOK_SECRET="+hook.Secret); out != "204\n" {
		t.Errorf("the signed body of the page is answered with %q", out)
	}
	printed(t, r, append(want, "call.test evt_1"))
}

// sign is what Parley sends as X-Webhook-Signature.
func sign(body string, at time.Time, secrets ...string) string {
	header := fmt.Sprintf("t=%d", at.Unix())
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
		header += ",v1=" + hex.EncodeToString(mac.Sum(nil))
	}
	return header
}

// printed waits until a receiver has printed these lines, and no others.
func printed(t *testing.T, r *binary.Process, want []string) {
	t.Helper()
	await(t, fmt.Sprintf("the receiver has printed %q", want), func() bool {
		return slices.Equal(strings.Split(strings.TrimSpace(r.Out.String()), "\n"), want)
	})
}
