package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/dialogue"
	"parley/internal/tracing/tracingtest"
)

// The call of the README, with all its records: the caller asks, is handed over to the booking desk, which has another voice,
// books and closes the conversation, and the agent ends the call. It is recorded on both sides, traced, sent to webhooks and
// logged at debug level.
func TestSpokenCall(t *testing.T) {
	t.Parallel()
	collector := tracingtest.Start(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := start(dir, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "PARLEY_LOG_FORMAT": "json", "PARLEY_LOG_LEVEL": "debug"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.Log.String())
		}
		s.Kill()
	})
	const password = "a secret of the tour" // in JSON mode none is printed
	setPassword(t, dir, password)
	if _, err := s.API.Login(t.Context(), "demo@parley.local", password); err != nil {
		t.Fatal(err)
	}
	for _, agent := range []string{"demo", "demo-booking"} {
		ask(t, s, http.MethodPut, "/api/v1/agents/"+agent, object{"config": object{"recording": true}}, nil)
	}
	w := receive(t)
	yes := true
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: w.URL, Filter: &client.WebhookFilter{
		Events: []string{client.CallStarted, client.CallCompleted}, IncludeTranscript: &yes}})
	if err != nil {
		t.Fatal(err)
	}
	w.use(hook.Secret)

	recording := filepath.Join(t.TempDir(), "agent.wav")
	r := converse(t, s, []string{"what are your opening hours", "can i book a table please", "a table for four people tomorrow", "no thank you goodbye"},
		[]string{"eleven in the morning", "how many people", "booked", "goodbye"},
		"--workflow", "demo", "--record", recording, "--user-context", `{"name":"Zephyrine","auth_token":"tok-4711-opensesame"}`)
	if r.Status != client.Completed || r.Recording != recording || r.DispatchToTrackMS == nil || *r.DispatchToTrackMS < 0 {
		t.Errorf("result: %+v", r)
	}
	t.Run("call", func(t *testing.T) { testKeptCall(t, s, r) })
	t.Run("recordings", func(t *testing.T) { testRecordings(t, s, r) })
	t.Run("webhooks", func(t *testing.T) { testWebhooks(t, w, r) })
	encryptionKey, err := os.ReadFile(filepath.Join(dir, "encryption-key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil { // which sends the last traces
		t.Fatal(err)
	}
	t.Run("traces", func(t *testing.T) { testTraces(t, s, collector, r) })
	t.Run("secrets", func(t *testing.T) {
		testSecretsStaySecret(t, s, map[string]string{
			"user_context": "opensesame", "user's name": "Zephyrine", "password": password, "API key": s.Key,
			"encryption key": strings.TrimSpace(string(encryptionKey)), "caller's words": "goodbye",
		})
	})
}

// testKeptCall checks what the API returns of the call.
func testKeptCall(t *testing.T, s *binary.Server, r *caller.Result) {
	agents := []string{"demo", "demo-booking"}
	ended, err := s.API.Calls.Get(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	if reason(ended) != "agent_ended" || ended.CallType != "voip" || ended.Direction != "inbound" || ended.WorkflowSlug == nil || *ended.WorkflowSlug != "demo" ||
		ended.CurrentAgent != nil || !slices.Equal(ended.AgentHistory, agents) || ended.Metrics.AgentHandoffs != 1 ||
		ended.StartedAt == nil || ended.EndedAt == nil || !ended.Livemode || ended.DurationSeconds < 5 {
		t.Errorf("call: %+v", ended)
	}
	for _, e := range r.Transcript {
		if strings.Contains(e.Content, "booked") && e.AgentName != "demo-booking" {
			t.Errorf("%q was said by %q", e.Content, e.AgentName)
		}
	}
	metrics, err := s.API.Calls.Metrics(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	if metrics.STTLatencyMS <= 0 || metrics.LLMLatencyMS <= 0 || metrics.TTSLatencyMS <= 0 || metrics.DurationSeconds != ended.DurationSeconds {
		t.Errorf("metrics: %+v", metrics)
	}
	if m := metrics; m.SilenceRatio == nil || *m.SilenceRatio <= 0 || *m.SilenceRatio >= 1 || m.LongestWaitMS == nil || *m.LongestWaitMS <= 0 || m.FailedTools == nil ||
		m.CallerWordsPerMinute == nil || *m.CallerWordsPerMinute < 20 || *m.CallerWordsPerMinute > 600 || m.AgentWordsPerMinute == nil || *m.AgentWordsPerMinute < 20 || *m.AgentWordsPerMinute > 600 {
		encoded, _ := json.Marshal(m)
		t.Errorf("what was measured of the conversation: %s", encoded)
	}
	moments, err := s.API.Calls.Timeline(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	turns := map[string]int{}
	for _, m := range moments {
		if m.Type == client.MomentTurn && m.VoiceToVoiceMS != nil {
			turns[m.Agent]++
		}
	}
	if turns["demo"] < 2 || turns["demo-booking"] < 2 || moments[len(moments)-1].StatusReason != "agent_ended" {
		t.Errorf("timeline: %+v", moments)
	}
	if len(metrics.Agents) != 2 {
		t.Errorf("metrics by agent: %+v", metrics.Agents)
	}
	for _, a := range metrics.Agents {
		if a.Turns != turns[a.Agent] {
			t.Errorf("metrics by agent: %+v, by the timeline %v turns", metrics.Agents, turns)
		}
	}
	listed, err := s.API.Calls.List(t.Context(), client.CallQuery{Status: client.Completed, PageSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(listed.Items, func(c client.ListedCall) bool { return c.ID == r.CallID && c.DurationSeconds == ended.DurationSeconds }) {
		t.Errorf("the list of %d calls has not this one", listed.Total)
	}
}

// testRecordings checks both recordings: the caller's, of the agent's voice, and the server's, with the agents' voices on
// the right and the caller's on the left.
func testRecordings(t *testing.T, s *binary.Server, r *caller.Result) {
	sound, header := fetch(t, s.URL+"/api/v1/calls/"+r.CallID+"/recording", s.Key, "", http.StatusOK)
	if header.Get("Content-Type") != "audio/ogg; codecs=opus" {
		t.Errorf("its type is %q", header.Get("Content-Type"))
	}
	if same, err := s.API.Calls.Recording(t.Context(), r.CallID); err != nil || !bytes.Equal(same, sound) {
		t.Errorf("the client reads %d bytes of %d, %v", len(same), len(sound), err)
	}
	part, header := fetch(t, s.URL+"/api/v1/calls/"+r.CallID+"/recording", s.Key, "bytes=0-3", http.StatusPartialContent)
	if string(part) != "OggS" || header.Get("Content-Range") == "" {
		t.Errorf("the first bytes are %q, %v", part, header)
	}
	left, right := sides(t, sound)
	agents, callers := linesOf(r, "assistant", map[string]string{"demo": "rms", "demo-booking": "slt"}), linesOf(r, "user", map[string]string{"demo": "slt", "demo-booking": "slt"})
	for _, side := range []struct {
		name  string
		sound []int16
		mine  []line
		other []line
	}{
		{"left", left, callers, agents},
		{"right", right, agents, callers},
		{"caller's recording", readWAV(t, r.Recording, dialogue.ListenRate), agents, callers},
	} {
		recording := newRecorded(side.sound)
		mine, other := recording.holds(t, side.mine), recording.holds(t, side.other)
		if mine < 0.3 || other > mine/2 { // on a machine with time to spare it is 0.8 and 0.2
			t.Errorf("%s: %.0f %% of what was said there, %.0f %% of what the others said", side.name, 100*mine, 100*other)
		}
	}

	unrecorded, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	fetch(t, s.URL+"/api/v1/calls/"+unrecorded.CallID+"/recording", s.Key, "", http.StatusNotFound)
}

// testWebhooks checks the signed announcements of the call's start and end, and that no others came.
func testWebhooks(t *testing.T, w *receiver, r *caller.Result) {
	w.delivered(t, r.CallID, client.CallStarted)
	w.delivered(t, r.CallID, client.CallCompleted)
	w.mu.Lock()
	defer w.mu.Unlock()
	ids, data := map[string]bool{}, map[string]client.CallData{}
	for _, e := range w.events {
		d, err := e.Call()
		if err != nil {
			t.Fatal(err)
		}
		if d.CallID != r.CallID { // of a call that was made before it, see converse
			continue
		}
		ids[e.ID], data[e.Type] = true, d
		if *d.WorkflowSlug != "demo" || !e.Livemode || e.TenantID == "" || e.APIVersion == "" || e.Created.IsZero() || time.Since(e.Created) > time.Hour {
			t.Errorf("event: %+v, data %s", e, e.Data)
		}
	}
	if len(ids) != 2 || len(data) != 2 {
		t.Errorf("events %v of types %v, want the two that the filter names", ids, data)
	}
	end := data[client.CallCompleted]
	var sent, kept []string
	for _, e := range end.Transcript {
		sent = append(sent, e.Role+": "+e.Content)
	}
	for _, e := range r.Transcript {
		if e.Content != "" && e.Role != "system" {
			kept = append(kept, e.Role+": "+e.Content)
		}
	}
	if end.Sequence != 4 || end.Status != client.Completed || *end.StatusReason != "agent_ended" || !slices.Equal(end.AgentHistory, []string{"demo", "demo-booking"}) ||
		end.Metrics == nil || end.Metrics.MessageCount != len(kept) || end.Metrics.AgentCount != 2 || !slices.Equal(sent, kept) {
		t.Errorf("data of the end: %+v, want the transcript %q", end, kept)
	}
}

// testTraces checks that the call has one trace with its parts, its dispatch another, and that the end of the server lost
// neither.
func testTraces(t *testing.T, s *binary.Server, collector *tracingtest.Collector, r *caller.Result) {
	spans := collector.Spans()
	var whole, dispatch tracingtest.Span
	for _, span := range spans {
		switch {
		case span.Name == "call" && span.Attribute("parley.call_id") == r.CallID:
			whole = span
		case span.Name == "POST /api/v1/calls":
			dispatch = span
		}
	}
	if whole.Span == nil || whole.Of("parley.role") != "serve" {
		t.Fatalf("no span of the call: %v", whole.Span)
	}
	if dispatch.Span == nil || dispatch.Attribute("http.response.status_code") != int64(201) {
		t.Errorf("no span of the dispatch: %v", dispatch.Span)
	}
	parts := map[string]int{}
	for _, span := range spans {
		if bytes.Equal(span.TraceId, whole.TraceId) && bytes.Equal(span.ParentSpanId, whole.SpanId) {
			parts[span.Name]++
			if span.Name == "turn" && cmp.Or(span.Attribute("parley.voice_to_voice_ms"), span.Attribute("parley.interrupted")) == nil {
				t.Errorf("turn: %v", span.Span)
			}
		}
	}
	if parts["join"] != 1 || parts["connecting"] != 1 || parts["turn"] < 4 {
		t.Errorf("parts of the call's span: %v", parts)
	}
	if !strings.Contains(s.Log.String(), `"trace_id"`) {
		t.Error("no trace id in the log")
	}
}

// setPassword sets the password of the demo tenant's user, as an operator does.
func setPassword(t *testing.T, dir, password string) {
	t.Helper()
	p, err := launch(map[string]string{"PARLEY_DATA_DIR": dir}, "user", "set", "--email", "demo@parley.local", "--password", password)
	if err != nil {
		t.Fatal(err)
	}
	if code, err := p.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("user set: exit code %d, %v\n%s", code, err, p.Log.String())
	}
}

// testSecretsStaySecret looks for what a caller confides, the key and the password in the log and the database.
func testSecretsStaySecret(t *testing.T, s *binary.Server, secrets map[string]string) {
	stored := map[string][]byte{"log": []byte(s.Log.String())}
	files, err := filepath.Glob(filepath.Join(s.Dir, "parley.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("database files: %q, %v", files, err)
	}
	for _, f := range files {
		if stored[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	for place, text := range stored {
		for name, secret := range secrets {
			if name == "caller's words" && place != "log" {
				continue // transcripts belong into the database
			}
			if bytes.Contains(bytes.ToLower(text), []byte(strings.ToLower(secret))) {
				t.Errorf("the %s stands in %s", name, place)
			}
		}
	}
}
