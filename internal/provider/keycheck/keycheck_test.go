package keycheck_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/netguard"
	"parley/internal/provider/emulator"
	"parley/internal/provider/keycheck"
)

func TestCheck(t *testing.T) {
	const key, wrong = "the-key-4711", "wrong-key-0815"
	o := emulator.Options{Key: key}
	for vendor, server := range map[string]*emulator.Server{
		"deepgram": emulator.NewDeepgram(t, o, emulator.RecognizerScript{}), "assemblyai": emulator.NewAssemblyAI(t, o, emulator.RecognizerScript{}),
		"cartesia": emulator.NewCartesia(t, o), "elevenlabs": emulator.NewElevenLabs(t, o),
		"openai": emulator.NewOpenAI(t, o, emulator.Script{}), "anthropic": emulator.NewAnthropic(t, o, emulator.Script{}),
		"google": emulator.NewGoogle(t, o, emulator.Script{}), "groq": emulator.NewCompatible(t, o, emulator.Compatible{Groq: true}),
		"openai_compatible": emulator.NewCompatible(t, o, emulator.Compatible{}),
	} {
		t.Run(vendor, func(t *testing.T) {
			for _, suffix := range []string{"", "/"} {
				c, base := keycheck.New(http.DefaultClient), server.URL+suffix
				if got := c.Check(t.Context(), vendor, key, base); got.Verdict != keycheck.Accepted || got.Message != "" {
					t.Errorf("got %+v", got)
				}
				got := c.Check(t.Context(), vendor, wrong, base)
				status := http.StatusUnauthorized
				if vendor == "google" {
					status = http.StatusBadRequest
				}
				if got.Verdict != keycheck.Refused || got.Status != status || !strings.HasPrefix(got.Message, fmt.Sprintf("%d %s: ", status, http.StatusText(status))) {
					t.Errorf("got %+v", got)
				}
				if strings.Contains(got.Message, wrong) || strings.Contains(got.Message, "{") {
					t.Errorf("the message is %q", got.Message)
				}
			}
		})
	}
}

// The vendor's message is shown without the key; a response that says nothing about the key is reported as such.
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
		got := keycheck.New(netguard.NewClient(http.DefaultTransport)).Check(t.Context(), "openai", "sk-secret", s.URL+"/v1")
		s.Close()
		if got.Verdict != c.verdict || got.Message != c.message {
			t.Errorf("%d %s: got %+v", c.status, c.body, got)
		}
	}
	got := keycheck.New(http.DefaultClient).Check(t.Context(), "openai", "sk-secret", "http://127.0.0.1:1")
	if got.Verdict != keycheck.Unknown || got.Status != 0 || got.Message == "" {
		t.Errorf("got %+v", got)
	}
}
