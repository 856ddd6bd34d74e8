package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/client"
)

func v1(secret string, t int64, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", t, body)
	return hex.EncodeToString(mac.Sum(nil))
}

func TestVerifyWebhook(t *testing.T) {
	const now, secret, body = 1_700_000_000, "whsec_right", `{"id":"evt_1" }`
	signed := func(at int64) string { return fmt.Sprintf("t=%d,v1=%s", at, v1(secret, at, body)) }
	tests := []struct {
		name, body, header, secret string
		want                       error
	}{
		{"right", body, signed(now), secret, nil},
		{"300 s old", body, signed(now - 300), secret, nil},
		{"301 s old", body, signed(now - 301), secret, client.ErrSignatureExpired},
		{"300 s ahead", body, signed(now + 300), secret, nil},
		{"301 s ahead", body, signed(now + 301), secret, client.ErrSignatureExpired},
		{"old secret beside the new", body, fmt.Sprintf("t=%d,v1=%s,v1=%s", now, v1("whsec_old", now, body), v1(secret, now, body)), secret, nil},
		{"new secret beside the old", body, fmt.Sprintf("t=%d,v1=%s,v1=%s", now, v1(secret, now, body), v1("whsec_new", now, body)), secret, nil},
		{"another scheme beside", body, signed(now) + ",v2=abc", secret, nil},
		{"spaces", body, fmt.Sprintf("t=%d, v1=%s", now, v1(secret, now, body)), secret, nil},
		{"other secret", body, signed(now), "whsec_wrong", client.ErrSignatureWrong},
		{"body re-encoded", `{"id":"evt_1"}`, signed(now), secret, client.ErrSignatureWrong},
		{"time changed", body, fmt.Sprintf("t=%d,v1=%s", now+1, v1(secret, now, body)), secret, client.ErrSignatureWrong},
		{"cut short", body, signed(now)[:50], secret, client.ErrSignatureWrong},
		{"empty v1", body, fmt.Sprintf("t=%d,v1=", now), secret, client.ErrSignatureWrong},
		{"missing", body, "", secret, client.ErrSignatureMissing},
		{"no time", body, "v1=" + v1(secret, now, body), secret, client.ErrSignatureFormat},
		{"no signature", body, fmt.Sprintf("t=%d", now), secret, client.ErrSignatureFormat},
		{"two times", body, fmt.Sprintf("t=%d,", now) + signed(now), secret, client.ErrSignatureFormat},
		{"no hex", body, fmt.Sprintf("t=%d,v1=zz", now), secret, client.ErrSignatureFormat},
		{"garbage", body, "garbage", secret, client.ErrSignatureFormat},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := client.VerifyWebhook([]byte(test.body), test.header, test.secret, time.Unix(now, 0))
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	if err := client.VerifyWebhook([]byte(body), fmt.Sprintf("t=%d,v1=%s", now, v1("", now, body)), "", time.Unix(now, 0)); err == nil {
		t.Error("an empty secret verified a signature that anyone can make")
	}
}

func TestParseEvent(t *testing.T) {
	const inner = `"id":"evt_1","type":"call.completed","created":1700000000,"tenant_id":"t1","livemode":true,
		"data":{"sequence":4,"call_id":"c1","status":"completed","status_reason":"agent_ended","duration_seconds":9,"agent_history":["a","b"],
		"transcript":[{"role":"user","content":"hi","agent":"a"}],"metrics":{"duration_seconds":9,"agent_count":2,"message_count":4}}`
	forms := map[string]string{
		"plain":   `{"object":"event","api_version":"2026-01-01",` + inner + `}`,
		"wrapped": `{"event":{` + inner + `},"delivery_id":"dlv_1","attempt":2,"max_attempts":5}`,
	}
	for name, body := range forms {
		t.Run(name, func(t *testing.T) {
			e, err := client.ParseEvent([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			if e.ID != "evt_1" || e.Type != client.CallCompleted || e.TenantID != "t1" || !e.Livemode || !e.Created.Equal(time.Unix(1700000000, 0)) {
				t.Errorf("event: %+v", e)
			}
			want := map[string]*client.Delivery{"wrapped": {ID: "dlv_1", Attempt: 2, MaxAttempts: 5}}[name]
			if d := cmp.Diff(want, e.Delivery); d != "" {
				t.Error(d)
			}
			call, err := e.Call()
			if err != nil {
				t.Fatal(err)
			}
			if call.Sequence != 4 || call.CallID != "c1" || *call.StatusReason != "agent_ended" || call.DurationSeconds != 9 || len(call.AgentHistory) != 2 ||
				call.Transcript[0].Agent != "a" || call.Metrics.MessageCount != 4 {
				t.Errorf("data: %+v", call)
			}
		})
	}
	for _, body := range []string{``, `[]`, `{}`, `{"id":"x","type":"call.test"}`, `{"id":"evt_1"}`, `{"event":{}}`} {
		if e, err := client.ParseEvent([]byte(body)); err == nil {
			t.Errorf("%q is the event %+v", body, e)
		}
	}
}
