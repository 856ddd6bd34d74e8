package webhook

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/seal"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
	call1 = "0193a6f0-0000-7000-8000-00000000c001"
)

func newSealer(t testing.TB) *seal.Sealer {
	t.Helper()
	s, err := seal.New([]byte(strings.Repeat("k", seal.KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wrongSealer has another key.
func wrongSealer(t testing.TB) *seal.Sealer {
	t.Helper()
	s, err := seal.New([]byte(strings.Repeat("w", seal.KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConfigDefaults(t *testing.T) {
	c, err := parseConfig([]byte(`{"url":"https://example.com/hook"}`), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{URL: "https://example.com/hook", Enabled: true, Filter: Filter{IncludeMetrics: true}, Headers: map[string]string{}, Timeout: 30, MaxRetries: 5, RetryPolicy: RetryStandard, PayloadFormat: FormatEvent}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestConfigReportsAllFaults(t *testing.T) {
	_, err := parseConfig([]byte(`{"url":"https://u:p@example.com","enabled":"yes","timeout":61,"max_retries":0,"payload_format":"xml",
		"filter":{"events":["call.started","call.paused",3],"include_metrics":1,"include_transcript":null},
		"headers":{"host":"a","X-Webhook-Delivery":"b","X-Ok":"fine","X-Split":"a\r\nB: c","X-Nul":"a\u0000","bad name":"x","X-Num":5,"Authorization":"Bearer x","authorization":"again","content-length":"3"}}`), false, nil)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Validation {
		t.Fatalf("got %v, want a validation error", err)
	}
	got := map[string]string{}
	for _, d := range f.Details {
		got[d.Field] = d.Message
	}
	want := map[string]string{
		"url":                        "must not hold credentials",
		"enabled":                    "must be true or false",
		"timeout":                    "must be from 1 to 60",
		"max_retries":                "must be from 1 to 20",
		"payload_format":             `must be "event" or "envelope"`,
		"filter.events[1]":           "must be one of " + strings.Join(event.Types, ", "),
		"filter.events[2]":           "must be one of " + strings.Join(event.Types, ", "),
		"filter.include_metrics":     "must be true or false",
		"headers.host":               "is reserved",
		"headers.content-length":     "is reserved",
		"headers.X-Webhook-Delivery": "is reserved",
		"headers.X-Split":            "must not hold control characters",
		"headers.X-Nul":              "must not hold control characters",
		"headers.bad name":           "is not a header name",
		"headers.X-Num":              "must be a string",
		"headers.authorization":      "is given twice",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{`{}`, `[]`, `null`, `{"url":null}`, `{"url":7,"filter":[],"headers":[],"timeout":"5","max_retries":1.5}`} {
		if _, err := parseConfig([]byte(text), false, nil); !fault.Is(err, fault.Validation) {
			t.Errorf("%s: got %v, want a validation error", text, err)
		}
	}
}

func TestSettings(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := context.Background()
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		s := NewSettings(db, event.NewBus(), newSealer(t), false)

		if _, err := s.Get(ctx, acme); !fault.Is(err, fault.NotFound) {
			t.Fatalf("without a configuration: got %v, want not_found", err)
		}
		w, secret, err := s.Put(ctx, acme, []byte(`{"url":"https://example.com/a","headers":{"Authorization":"Bearer 1","X-Team":"a"},"filter":{"events":["call.completed"]}}`), true)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(w.ID, "whk_") || !strings.HasPrefix(secret, "whsec_") || len(secret) < 40 {
			t.Errorf("id %q, secret %q", w.ID, secret)
		}
		got, err := s.Get(ctx, acme)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("stored and answered differ: %s", diff)
		}
		if _, err := s.Get(ctx, other); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant: got %v, want not_found", err)
		}

		patched, err := s.Patch(ctx, acme, []byte(`{"timeout":7,"filter":{"events":null,"include_context":true},"headers":{"X-Team":null,"X-New":"n"},"secret":"whsec_mine","id":"whk_mine"}`), true)
		if err != nil {
			t.Fatal(err)
		}
		want := Config{URL: "https://example.com/a", Enabled: true, Timeout: 7, MaxRetries: 5, RetryPolicy: RetryStandard, PayloadFormat: FormatEvent,
			Headers: map[string]string{"Authorization": "Bearer 1", "X-New": "n"}, Filter: Filter{IncludeContext: true, IncludeMetrics: true}}
		if diff := cmp.Diff(want, patched.Config); diff != "" || patched.ID != w.ID {
			t.Errorf("id %s, want %s; %s", patched.ID, w.ID, diff)
		}
		if got := signers(t, db, s); len(got) != 1 || got[0] != secret {
			t.Error("a patch changed the secret")
		}
		if _, err := s.Patch(ctx, acme, []byte(`{"url":null,"timeout":0}`), true); !fault.Is(err, fault.Validation) {
			t.Errorf("a patch that leaves no URL: got %v", err)
		}

		if _, rotated, err := s.Rotate(ctx, acme, time.Minute); err != nil {
			t.Fatal(err)
		} else if got := signers(t, db, s); len(got) != 2 || got[0] != rotated || got[1] != secret {
			t.Error("while they overlap both secrets sign, the new one first")
		}
		if _, rotated, err := s.Rotate(ctx, acme, 0); err != nil {
			t.Fatal(err)
		} else if got := signers(t, db, s); len(got) != 1 || got[0] != rotated {
			t.Error("without overlap the new secret signs alone")
		}
		if _, _, err := s.Rotate(ctx, acme, 25*time.Hour); !fault.Is(err, fault.Validation) {
			t.Errorf("an overlap of 25 h: got %v", err)
		}

		if w, err := s.SetEnabled(ctx, acme, false); err != nil || w.Enabled {
			t.Errorf("disable: %v, %v", w.Enabled, err)
		}
		replaced, fresh, err := s.Put(ctx, acme, []byte(`{"url":"https://example.com/b"}`), true)
		if err != nil || replaced.ID != w.ID || fresh == secret || !replaced.Enabled || len(replaced.Headers) != 0 {
			t.Errorf("replace: %+v, %v", replaced, err)
		}
		if err := s.Delete(ctx, acme); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, acme); !fault.Is(err, fault.NotFound) {
			t.Errorf("delete twice: got %v, want not_found", err)
		}
		if _, err := s.SetEnabled(ctx, acme, true); !fault.Is(err, fault.NotFound) {
			t.Errorf("enable what is deleted: got %v, want not_found", err)
		}
	})
}

// signers are the secrets that sign acme's deliveries now.
func signers(t *testing.T, db *database.DB, s *Settings) (secrets []string) {
	t.Helper()
	err := db.Tenant(acme).Read(context.Background(), func(ctx context.Context, tx database.Tx) error {
		r, err := findConfig(ctx, tx, primary, "")
		if err != nil {
			return err
		}
		secrets, err = r.validSecrets(s.sealer, tx.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return secrets
}
