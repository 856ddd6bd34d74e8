package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/client"
)

// receiver is a tenant's backend: it verifies what comes and keeps it.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	secret string
	events []client.Event
	times  []time.Time // when each came
	faults []error
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := new(receiver)
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(q.Body)
	if err == nil {
		err = client.VerifyWebhook(body, q.Header.Get(client.SignatureHeader), r.secret, time.Now())
	}
	var e client.Event
	if err == nil {
		e, err = client.ParseEvent(body)
	}
	if err != nil {
		r.faults = append(r.faults, err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.events, r.times = append(r.events, e), append(r.times, time.Now())
}

// use has what comes verified with a secret.
func (r *receiver) use(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// arrived waits for the event of a call and returns when it came.
func (r *receiver) arrived(t *testing.T, callID, kind string) time.Time {
	t.Helper()
	_, at := r.told(t, callID, kind)
	return at
}

// told waits for the event of a call.
func (r *receiver) told(t *testing.T, callID, kind string) (client.CallData, time.Time) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		for i, e := range r.events {
			if data, err := e.Call(); err == nil && e.Type == kind && data.CallID == callID {
				defer r.mu.Unlock()
				return data, r.times[i]
			}
		}
		faults := slices.Clone(r.faults)
		r.mu.Unlock()
		if len(faults) > 0 || time.Now().After(deadline) {
			t.Fatalf("%s of a call did not come; refused: %v", kind, faults)
		}
	}
}

// await waits for the event of a type.
func (r *receiver) await(t *testing.T, kind string) client.Event {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r.mu.Lock()
		events, faults := slices.Clone(r.events), slices.Clone(r.faults)
		r.mu.Unlock()
		for _, err := range faults {
			t.Fatalf("a delivery was refused: %v", err)
		}
		if i := slices.IndexFunc(events, func(e client.Event) bool { return e.Type == kind }); i >= 0 {
			return events[i]
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come; events: %+v", kind, events)
		}
	}
}

// A spoken call is announced, signed, when it starts and when it ends.
func TestWebhooksOfACall(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	r := receive(t)
	yes := true
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: r.URL, Filter: &client.WebhookFilter{
		Events: []string{client.CallStarted, client.CallCompleted}, IncludeTranscript: &yes}})
	if err != nil {
		t.Fatal(err)
	}
	r.use(hook.Secret)

	result := call(t, s, 0, "--workflow", "demo", "--say", "goodbye")
	started, completed := r.await(t, client.CallStarted), r.await(t, client.CallCompleted)
	for _, e := range []client.Event{started, completed} {
		data, err := e.Call()
		if err != nil {
			t.Fatal(err)
		}
		if data.CallID != result.CallID || *data.WorkflowSlug != "demo" || !e.Livemode || e.TenantID == "" || e.APIVersion == "" || time.Since(e.Created) > time.Minute {
			t.Errorf("event: %+v, data %s", e, e.Data)
		}
	}
	data, err := completed.Call()
	if err != nil {
		t.Fatal(err)
	}
	if data.Sequence != 3 || data.Status != client.Completed || *data.StatusReason != "agent_ended" || !slices.Equal(data.AgentHistory, []string{"demo"}) ||
		len(data.Transcript) != 3 || data.Transcript[1].Content != "goodbye" || data.Metrics == nil || data.Metrics.MessageCount != 3 || data.Metrics.AgentCount != 1 {
		t.Errorf("data of the end: %s", completed.Data)
	}
	if started.ID == completed.ID {
		t.Error("two events have the same id")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) != 2 {
		t.Errorf("%d events came, want the two that the filter names", len(r.events))
	}
}
