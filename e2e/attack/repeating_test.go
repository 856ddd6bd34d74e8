package attack

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/e2e/binary"
)

// canary stands for what must not be in a log: words of a caller, a prompt.
const canary = "canary-7351"

// newRepeatingVendor runs a server that answers as any vendor does, with errors that repeat the request. The model's name, or the
// beginning of the path, chooses the kind of error.
func newRepeatingVendor(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Upgrade") != "":
			repeatOverWebSocket(w, r)
		case r.Method == http.MethodGet: // the check of a key
			_, _ = io.WriteString(w, "{}")
		default:
			repeatOverHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// repeated is an error in the form of every vendor, with the canary as each of its texts and codes.
func repeated(request []byte) []byte {
	words := canary + " " + string(request)
	inner := map[string]any{"message": words, "type": canary, "code": canary, "status": canary, "param": words}
	text, err := json.Marshal(map[string]any{"type": "error", "error": inner, "message": words, "err_msg": words, "err_code": canary,
		"detail": inner, "code": canary, "description": words, "reason": words, "title": words, "error_code": 3005, "status_code": 400, "done": true})
	if err != nil {
		panic(err)
	}
	return text
}

// repeatedInWords is an error of the vendors whose field error is a text.
func repeatedInWords(request []byte) []byte {
	words := canary + " " + string(request)
	text, err := json.Marshal(map[string]any{"type": "Error", "message_type": canary, "error": words, "message": words, "description": words, "code": canary,
		"title": words, "error_code": 3005, "status_code": 400, "done": true})
	if err != nil {
		panic(err)
	}
	return text
}

func repeatOverHTTP(w http.ResponseWriter, r *http.Request) {
	request, _ := io.ReadAll(r.Body) // what was sent before the client left will do
	kind := string(request) + r.URL.Path
	switch {
	case strings.Contains(kind, "kind-sse"):
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: error\ndata: %s\n\n", repeated(request))
	case strings.Contains(kind, "kind-redirect"):
		w.Header().Set("Location", "/"+canary)
		w.WriteHeader(http.StatusTemporaryRedirect)
	case strings.Contains(kind, "kind-type"):
		w.Header().Set("Content-Type", "text/"+canary)
		_, _ = w.Write(repeated(request))
	case strings.Contains(kind, "kind-garbage"):
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 %s\r\n%s\r\n\r\n", canary, canary)
		_ = conn.Close()
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(repeated(request))
	}
}

// repeatOverWebSocket reports an error in a message, and closes with a reason.
func repeatOverWebSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: r.Header.Values("Sec-WebSocket-Protocol")})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	first := make(chan []byte, 1)
	go func() {
		_, request, _ := conn.Read(r.Context()) // of a client that has left, nothing
		first <- request
	}()
	var request []byte
	select {
	case request = <-first:
	case <-time.After(time.Second): // the client awaits a greeting
	}
	message := repeated(request)
	if path := r.URL.Path; !strings.Contains(path, "Bidi") && !strings.HasSuffix(path, "/v1/realtime") {
		message = repeatedInWords(request)
	}
	_ = conn.Write(r.Context(), websocket.MessageText, message)
	_ = conn.Close(websocket.StatusPolicyViolation, canary)
}

// repeatingAgents are agents by name, with a part of each kind and vendor that a repeatingVendor emulates.
func repeatingAgents() map[string]object {
	model := func(provider, model string) object {
		return object{"llm": object{"provider": provider, "model": model}}
	}
	ear := func(provider, model string) object {
		return object{"stt": object{"provider": provider, "model": model}}
	}
	voice := func(provider string) object {
		return object{"tts": object{"provider": provider, "voice_id": "694f9389-aac1-45b6-b726-9d9369183238"}, "prompt": object{"system": canary, "greeting": canary}}
	}
	return map[string]object{
		"openai-body": model("openai", "kind-body"), "openai-sse": model("openai", "kind-sse"), "openai-redirect": model("openai", "kind-redirect"),
		"openai-type": model("openai", "kind-type"), "openai-garbage": model("openai", "kind-garbage"),
		"anthropic-body": model("anthropic", "kind-body"), "anthropic-sse": model("anthropic", "kind-sse"),
		"google-body": model("google", "kind-body"), "google-sse": model("google", "kind-sse"),
		"compatible-body": model("openai_compatible", "kind-body"), "groq-body": model("groq", "kind-body"),
		"deepgram-ear": ear("deepgram", "nova-3"), "flux-ear": ear("deepgram", "flux-general-en"), "assemblyai-ear": ear("assemblyai", "universal-streaming"),
		"scribe-ear": ear("elevenlabs", "scribe_v2_realtime"), "compatible-ear": ear("openai_compatible", "whisper"),
		"cartesia-voice": voice("cartesia"), "elevenlabs-voice": voice("elevenlabs"), "aura-voice": voice("deepgram"), "openai-voice": voice("openai"), "google-voice": voice("google"),
		"openai-realtime": {"realtime": object{"provider": "openai", "model": "gpt-realtime"}}, "gemini-live": {"realtime": object{"provider": "google", "model": "gemini-live"}},
	}
}

// callRepeatingAgents makes the agents and one call of each, whose caller joins, and returns how many calls there were once all have ended.
func callRepeatingAgents(t *testing.T, s *binary.Server) (calls int) {
	t.Helper()
	var running sync.WaitGroup
	atOnce := make(chan struct{}, size(3, 10))
	for name, parts := range repeatingAgents() {
		config := object{"prompt": object{"system": "Your secret is " + canary + "."}, "stt": object{"provider": "offline", "model": "pocketsphinx"},
			"tts": object{"provider": "offline", "voice_id": "slt"}, "llm": object{"provider": "offline", "model": "scripted"}}
		if parts["realtime"] != nil {
			config = object{"prompt": config["prompt"]}
		}
		maps.Copy(config, parts)
		post(t, s, s.Key, "/api/v1/agents", object{"name": name, "config": config})
		calls++
		atOnce <- struct{}{}
		d, _ := joinDesk(t, s, name)
		running.Go(func() {
			defer func() { <-atOnce }()
			for end := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
				c, err := s.API.Calls.Get(t.Context(), d.CallID)
				if err == nil && c.Terminal() {
					return
				}
				if time.Now().After(end) {
					t.Errorf("the call of %s is %+v, %v", name, c, err)
					return
				}
			}
		})
	}
	running.Wait()
	return calls
}

// Whatever a vendor repeats of a request in an error, over HTTP, in a stream, over a WebSocket or in the reason of its end, is neither in
// the log nor in the error log, which give the cause nevertheless.
func TestVendorsRepeatRequests(t *testing.T) {
	t.Parallel()
	vendor := newRepeatingVendor(t)
	settings := map[string]string{"PARLEY_LOG_LEVEL": "debug"}
	for _, name := range []string{"OPENAI", "ANTHROPIC", "GOOGLE", "GROQ", "DEEPGRAM", "ASSEMBLYAI", "CARTESIA", "ELEVENLABS"} {
		settings[name+"_BASE_URL"], settings[name+"_API_KEY"] = vendor.URL, "key-of-"+strings.ToLower(name)
	}
	settings["OPENAI_COMPATIBLE_LLM_BASE_URL"] = vendor.URL + "/v1"
	settings["OPENAI_COMPATIBLE_STT_BASE_URL"] = "ws" + strings.TrimPrefix(vendor.URL, "http") + "/v1"
	s := start(t, settings)
	calls := callRepeatingAgents(t, s)
	items := errorMessages(t, s, s.Key)
	if n := strings.Count(items, "\n") + 1; n < calls {
		t.Errorf("%d items in the error log of %d calls that failed:\n%s", n, calls, items)
	}
	for line := range strings.Lines(items + "\n" + s.Log.String()) {
		if strings.Contains(line, canary) {
			t.Errorf("the vendor's words: %.300s", line)
		}
	}
	for _, want := range []string{"llm provider openai: the request is refused by the provider (HTTP 400)", "is the base URL right?", "stt provider deepgram: ", "tts provider cartesia: "} {
		if !strings.Contains(items, want) {
			t.Errorf("the error log does not say %q:\n%s", want, items)
		}
	}
}
