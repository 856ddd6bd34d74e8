package keycheck_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/provider/emulator"
	"parley/internal/provider/keycheck"
)

func TestCheck(t *testing.T) {
	const key, wrong = "the-key-4711", "wrong-key-0815"
	o := emulator.Options{Key: key}
	for vendor, server := range map[string]*emulator.Server{
		"deepgram": emulator.NewDeepgram(t, o, emulator.Hearing{}), "assemblyai": emulator.NewAssemblyAI(t, o, emulator.Hearing{}),
		"cartesia": emulator.NewCartesia(t, o), "elevenlabs": emulator.NewElevenLabs(t, o),
		"openai": emulator.NewOpenAI(t, o, emulator.Script{}), "anthropic": emulator.NewAnthropic(t, o, emulator.Script{}),
	} {
		t.Run(vendor, func(t *testing.T) {
			for _, suffix := range []string{"", "/"} {
				c := keycheck.New(map[string]string{vendor: server.URL + suffix})
				if got := c.Check(t.Context(), vendor, key); got.Verdict != keycheck.Accepted || got.Message != "" {
					t.Errorf("got %+v", got)
				}
				got := c.Check(t.Context(), vendor, wrong)
				if got.Verdict != keycheck.Refused || got.Status != http.StatusUnauthorized || !strings.HasPrefix(got.Message, "401 Unauthorized: ") {
					t.Errorf("got %+v", got)
				}
				if strings.Contains(got.Message, wrong) || strings.Contains(got.Message, "{") {
					t.Errorf("the message is %q", got.Message)
				}
			}
		})
	}
}

// The vendor's words are shown without the key; what is no answer about the key says so.
func TestCheckWords(t *testing.T) {
	for _, c := range []struct {
		status  int
		body    string
		verdict keycheck.Verdict
		message string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: sk-secret."}}`, keycheck.Refused, "401 Unauthorized: Incorrect API key provided: [key]."},
		{401, `{"detail":{"status":"missing_permissions","message":"no models_read"}}`, keycheck.Accepted, ""},
		{401, `{"detail":{"status":"invalid_api_key","message":"Invalid API key"}}`, keycheck.Refused, "401 Unauthorized: Invalid API key"},
		{403, `no`, keycheck.Unknown, "403 Forbidden: no"},
		{302, ``, keycheck.Unknown, "302 Found"},
		{503, ``, keycheck.Unknown, "503 Service Unavailable"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		got := keycheck.New(map[string]string{"openai": s.URL + "/v1"}).Check(t.Context(), "openai", "sk-secret")
		s.Close()
		if got.Verdict != c.verdict || got.Message != c.message {
			t.Errorf("%d %s: got %+v", c.status, c.body, got)
		}
	}
	got := keycheck.New(map[string]string{"openai": "http://127.0.0.1:1"}).Check(t.Context(), "openai", "sk-secret")
	if got.Verdict != keycheck.Unknown || got.Status != 0 || got.Message == "" {
		t.Errorf("got %+v", got)
	}
}
