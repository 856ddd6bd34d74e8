package webhook

import (
	"context"
	"errors"
	"testing"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/fault"
)

func newMaskedSettings(t *testing.T, db *database.DB) *Settings {
	t.Helper()
	databasetest.Tenant(t, db, acme, "acme")
	s := NewSettings(db, event.NewBus(), newSealer(t), false)
	_, _, err := s.Put(t.Context(), acme, []byte(`{"url":"https://example.com/a","headers":{"Authorization":"Bearer 1","X-Team":"a"},"filter":{"include_transcript":true}}`), true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Stored header values go to no other host than the one that they were given for.
func TestHeadersStayWithTheirHost(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newMaskedSettings(t, db)
		put := func(ctx context.Context, tenantID string, doc []byte, readsCalls bool) (Webhook, error) {
			w, _, err := s.Put(ctx, tenantID, doc, readsCalls)
			return w, err
		}
		for _, c := range []struct {
			change func(context.Context, string, []byte, bool) (Webhook, error)
			doc    string
			fields []string          // that are refused
			stored map[string]string // otherwise
		}{
			{s.Patch, `{"url":"https://evil.example/a"}`, []string{"headers.Authorization", "headers.X-Team"}, nil},
			{s.Patch, `{"url":"https://example.com:8443/a"}`, []string{"headers.Authorization", "headers.X-Team"}, nil},
			{s.Patch, `{"url":"https://evil.example/a","headers":{"Authorization":"Bearer 2"}}`, []string{"headers.X-Team"}, nil},
			{s.Patch, `{"url":"https://evil.example/a","headers":{"Authorization":"********","X-Team":null}}`, []string{"headers.Authorization"}, nil},
			{put, `{"url":"https://evil.example/a","headers":{"Authorization":"********"}}`, []string{"headers.Authorization"}, nil},
			{put, `{"url":"https://example.com/a","headers":{"X-Unknown":"********"}}`, []string{"headers.X-Unknown"}, nil},
			{s.Patch, `{"url":"https://EXAMPLE.com:443/b","timeout":3}`, nil, map[string]string{"Authorization": "Bearer 1", "X-Team": "a"}},
			{s.Patch, `{"headers":{"Authorization":"********","X-Team":"b"}}`, nil, map[string]string{"Authorization": "Bearer 1", "X-Team": "b"}},
			{put, `{"url":"https://example.com/c","headers":{"authorization":"********"}}`, nil, map[string]string{"authorization": "Bearer 1"}},
			{s.Patch, `{"url":"https://elsewhere.example/","headers":{"authorization":null,"X-New":"n"}}`, nil, map[string]string{"X-New": "n"}},
		} {
			before, err := s.Get(t.Context(), acme)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.change(t.Context(), acme, []byte(c.doc), true)
			var f *fault.Error
			if errors.As(err, &f) != (len(c.fields) > 0) || f != nil && len(f.Details) != len(c.fields) {
				t.Fatalf("%s: %v", c.doc, err)
			}
			for i, field := range c.fields {
				if f.Details[i].Field != field {
					t.Errorf("%s: %v, want %s", c.doc, f.Details, field)
				}
			}
			after, err := s.Get(t.Context(), acme)
			if err != nil {
				t.Fatal(err)
			}
			want := c.stored
			if f != nil {
				want = before.Headers
			}
			if len(after.Headers) != len(want) {
				t.Errorf("%s: stored are %v, want %v", c.doc, after.Headers, want)
			}
			for name, value := range want {
				if after.Headers[name] != value {
					t.Errorf("%s: stored are %v, want %v", c.doc, after.Headers, want)
				}
			}
		}
	})
}

// Who may not read calls has nothing sent that was said in them, and nothing sent elsewhere.
func TestTranscriptsNeedCallsRead(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newMaskedSettings(t, db)
		headers := `"headers":{"Authorization":"x","X-Team":"y"}`
		for doc, refused := range map[string]bool{
			`{"timeout":3}`:                                  false,
			`{"filter":{"include_transcript":true}}`:         false, // as it was
			`{"filter":{"include_context":true}}`:            true,
			`{"filter":{"include_page":true}}`:               true,
			`{"url":"https://example.com/b"}`:                true,
			`{"url":"https://evil.example",` + headers + `}`: true,
		} {
			if _, err := s.Patch(t.Context(), acme, []byte(doc), false); fault.Is(err, fault.ScopeRequired) != refused || err != nil && !refused {
				t.Errorf("%s: %v, want refused: %v", doc, err, refused)
			}
		}
		if _, _, err := s.Put(t.Context(), acme, []byte(`{"url":"https://evil.example","filter":{"include_context":true}}`), false); !errors.Is(err, ErrCallsRead) {
			t.Errorf("replaced: %v", err)
		}
		if _, _, err := s.Put(t.Context(), acme, []byte(`{"url":"https://evil.example"}`), false); err != nil {
			t.Error(err)
		}
	})
}
