package webhook

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/netguard"
)

func TestCheckURL(t *testing.T) {
	for raw, good := range map[string]bool{
		"https://example.com/": true, "http://example.com/": false, "https://127.0.0.1/": false, "": false,
		"https://example.com/" + strings.Repeat("a", maxURL): false,
	} {
		if problem := checkURL(raw, false); (problem == "") != good {
			t.Errorf("%.40s: %q", raw, problem)
		}
	}
}

// A delivery to a forbidden address fails immediately, and its error contains nothing else.
func TestRefusedDelivery(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		h := newFixture(t, db)
		var arrivals atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrivals.Add(1) }))
		defer server.Close()
		h.configure(acme, &receiver{url: server.URL}, nil)
		h.append(acme, event.CallStarted, 1)
		h.options.AllowPrivate = false
		h.deliver()
		d := h.settled(acme)[0]
		if d.Status != Failed || d.Attempts != 1 || *d.Error != netguard.ErrRefused.Error() || arrivals.Load() != 0 {
			t.Errorf("%+v", d)
		}
		_, _, err := NewSettings(db, h.bus, newSealer(t), false).Put(context.Background(), acme, []byte(`{"url":"`+server.URL+`"}`), true)
		if !fault.Is(err, fault.Validation) {
			t.Errorf("saving a private URL: %v", err)
		}
	})
}
