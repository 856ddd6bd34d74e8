package emulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"parley/internal/audio"
	"parley/internal/provider/emulator"
)

// breaches keeps what an emulator reports.
type breaches struct {
	mu   sync.Mutex
	said []string
}

func (b *breaches) Errorf(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, fmt.Sprintf(format, args...))
}

const (
	deepgramPath   = "/v1/listen?model=nova-3&encoding=linear16&sample_rate=16000&interim_results=true&endpointing=300&vad_events=true"
	fluxPath       = "/v2/listen?model=flux-general-en&encoding=linear16&sample_rate=16000"
	assemblyAIPath = "/v3/ws?speech_model=universal-streaming-multilingual&sample_rate=16000&encoding=pcm_s16le"
)

func frame(d time.Duration) []byte { return make([]byte, 32*d.Milliseconds()) }

// TestBreaches: what a client must not do is reported, and refused as the
// vendor would.
func TestBreaches(t *testing.T) {
	for _, test := range []struct {
		name, path, authorization string
		send                      any // []byte or string
		breach                    string
		status                    int // of the handshake
		code                      websocket.StatusCode
	}{
		{name: "no token", path: deepgramPath, authorization: "Bearer right", breach: `scheme "Bearer"`, status: 101},
		{name: "unknown parameter", path: deepgramPath + "&endpoint=300", authorization: "Token right", breach: `no parameter "endpoint"`, status: 400},
		{name: "wrong value", path: strings.Replace(deepgramPath, "16000", "8000", 1), authorization: "Token right", breach: `sample_rate="8000"`, status: 400},
		{name: "missing parameter", path: "/v1/listen?model=nova-3", authorization: "Token right", breach: `misses the parameter "encoding"`, status: 400},
		{name: "no such path", path: "/v1/speak", authorization: "Token right", breach: "has no GET /v1/speak", status: 404},
		{name: "Flux at the endpoint of Nova", path: strings.Replace(deepgramPath, "nova-3", "flux-general-en", 1), authorization: "Token right", breach: `model="flux-general-en"`, status: 400},
		{name: "Nova at the endpoint of Flux", path: "/v2/listen?model=nova-3", authorization: "Token right", breach: `model="nova-3"`, status: 400},
		{name: "a parameter of Nova", path: fluxPath + "&interim_results=true", authorization: "Token right", breach: `no parameter "interim_results"`, status: 400},
		{name: "a hint to English Flux", path: fluxPath + "&language_hint=en", authorization: "Token right", breach: "language_hint", status: 400},
		{name: "a language unknown to Flux", path: "/v2/listen?model=flux-general-multi&language_hint=tlh", authorization: "Token right", breach: `language_hint="tlh"`, status: 400},
		{name: "more eager than sure", path: fluxPath + "&eager_eot_threshold=0.8", authorization: "Token right", breach: "eager_eot_threshold", status: 400},
		{name: "a short timeout", path: fluxPath + "&eot_timeout_ms=100", authorization: "Token right", breach: `eot_timeout_ms="100"`, status: 400},
		{name: "Finalize to Flux", path: fluxPath, authorization: "Token right", send: `{"type":"Finalize"}`, breach: "no message", status: 101, code: 1008},
		{name: "KeepAlive to Flux", path: fluxPath, authorization: "Token right", send: `{"type":"KeepAlive"}`, breach: "no message", status: 101, code: 1008},
		{name: "empty audio", path: deepgramPath, authorization: "Token right", send: []byte{}, breach: "0 bytes", status: 101},
		{name: "half a sample", path: deepgramPath, authorization: "Token right", send: make([]byte, 641), breach: "641 bytes", status: 101},
		{name: "a second at once", path: deepgramPath, authorization: "Token right", send: frame(time.Second), breach: "(1s)", status: 101},
		{name: "no JSON", path: deepgramPath, authorization: "Token right", send: "Finalize", breach: "understands no text", status: 101, code: 1008},
		{name: "unknown field", path: deepgramPath, authorization: "Token right", send: `{"type":"Finalize","now":true}`, breach: "understands no text", status: 101, code: 1008},
		{name: "unknown message", path: deepgramPath, authorization: "Token right", send: `{"type":"ForceEndpoint"}`, breach: `type "ForceEndpoint"`, status: 101, code: 1008},

		{name: "a scheme", path: assemblyAIPath, authorization: "Bearer right", breach: "without a scheme", status: 101, code: 1008},
		{name: "no key", path: assemblyAIPath, breach: "without a scheme", status: 101, code: 1008},
		{name: "unknown parameter", path: assemblyAIPath + "&model=x", authorization: "right", breach: `no parameter "model"`, status: 101, code: 3006},
		{name: "missing parameter", path: "/v3/ws?sample_rate=16000", authorization: "right", breach: `misses the parameter "speech_model"`, status: 101, code: 3006},
		{name: "an unknown model", path: strings.Replace(assemblyAIPath, "universal-streaming-multilingual", "universal-9", 1), authorization: "right", breach: `speech_model="universal-9"`, status: 101, code: 3006},
		{name: "languages of another family", path: assemblyAIPath + "&language_codes=" + url.QueryEscape(`["de"]`), authorization: "right", breach: "no language_codes", status: 101, code: 3006},
		{name: "formatting of another family", path: "/v3/ws?sample_rate=16000&speech_model=u3-rt-pro&format_turns=false", authorization: "right", breach: "no format_turns", status: 101, code: 3006},
		{name: "20 ms", path: assemblyAIPath, authorization: "right", send: frame(20 * time.Millisecond), breach: "not 20ms", status: 101, code: 3007},
		{name: "too much", path: assemblyAIPath, authorization: "right", send: frame(1100 * time.Millisecond), breach: "not 1.1s", status: 101, code: 3007},
		{name: "no JSON", path: assemblyAIPath, authorization: "right", send: "stop", breach: "understands no text", status: 101, code: 3006},
		{name: "unknown message", path: assemblyAIPath, authorization: "right", send: `{"type":"Finalize"}`, breach: `type "Finalize"`, status: 101, code: 3006},
	} {
		vendor, serve := "Deepgram", emulator.NewDeepgram
		if strings.HasPrefix(test.path, "/v3") {
			vendor, serve = "AssemblyAI", emulator.NewAssemblyAI
		}
		t.Run(vendor+": "+test.name, func(t *testing.T) {
			var report breaches
			server := serve(&report, emulator.Options{Key: "right"}, emulator.RecognizerScript{})
			defer server.Close()
			conn, response, err := websocket.Dial(t.Context(), server.URL+test.path, &websocket.DialOptions{
				HTTPHeader: http.Header{"Authorization": {test.authorization}}})
			if response == nil || response.StatusCode != test.status {
				t.Fatalf("handshake: %v, %v", response, err)
			}
			if conn != nil {
				defer conn.CloseNow()
				if code := provoke(t, conn, test.send); code != test.code && test.code != 0 {
					t.Errorf("closed with %d, want %d", code, test.code)
				}
			}
			server.Close()
			if len(report.said) != 1 || !strings.Contains(report.said[0], test.breach) || server.Breaches() != 1 {
				t.Errorf("reported %q (%d), want %q", report.said, server.Breaches(), test.breach)
			}
		})
	}
}

// provoke sends a message and ends the stream; it returns the status with which the server closes the connection.
func provoke(t *testing.T, conn *websocket.Conn, send any) websocket.StatusCode {
	t.Helper()
	switch message := send.(type) {
	case []byte:
		conn.Write(t.Context(), websocket.MessageBinary, message)
	case string:
		conn.Write(t.Context(), websocket.MessageText, []byte(message))
	}
	conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"CloseStream"}`))
	for {
		if _, _, err := conn.Read(t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// A recording that is sent as fast as the network takes it is refused by AssemblyAI.
func TestTooFast(t *testing.T) {
	var report breaches
	server := emulator.NewAssemblyAI(&report, emulator.Options{Key: "right"}, emulator.RecognizerScript{})
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL+assemblyAIPath, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"right"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	second := frame(time.Second)
	for range 400 {
		if conn.Write(t.Context(), websocket.MessageBinary, second) != nil {
			break
		}
	}
	for err = nil; err == nil; {
		_, _, err = conn.Read(t.Context())
	}
	if code := websocket.CloseStatus(err); code != 3007 || len(report.said) != 1 {
		t.Errorf("closed with %d, reported %q", code, report.said)
	}
}

// TestHearing: what a recogniser says of two utterances, at which time of the
// audio. Nothing depends on the speed of the audio.
func TestHearing(t *testing.T) {
	server := emulator.NewDeepgram(t, emulator.Options{Key: "right"}, emulator.RecognizerScript{Lines: []string{"one two three", "four"}})
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL+deepgramPath, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Token right"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	send := func(pcm []int16) { sendAudio(t, conn, pcm, 320) }
	speech := func(d time.Duration) { send(audio.Tone(300, 16000, d)) }
	silence := func(d time.Duration) { send(make([]int16, 16*d.Milliseconds())) }

	silence(500 * time.Millisecond)
	speech(600 * time.Millisecond)
	silence(340 * time.Millisecond) // not yet the end
	speech(100 * time.Millisecond)
	silence(400 * time.Millisecond)
	speech(40 * time.Millisecond) // a click
	silence(500 * time.Millisecond)
	speech(500 * time.Millisecond)
	conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"CloseStream"}`))

	var got []string
	for {
		_, message, err := conn.Read(context.Background())
		if err != nil {
			break
		}
		var m struct {
			Type        string
			Start       float64
			Duration    float64
			IsFinal     bool `json:"is_final"`
			SpeechFinal bool `json:"speech_final"`
			Channel     json.RawMessage
			Timestamp   float64
		}
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
		switch m.Type {
		case "Results":
			var c struct{ Alternatives []struct{ Transcript string } }
			if err := json.Unmarshal(m.Channel, &c); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%.2f %q final=%v speech_final=%v", m.Start+m.Duration, c.Alternatives[0].Transcript, m.IsFinal, m.SpeechFinal))
		case "SpeechStarted":
			got = append(got, fmt.Sprintf("%.2f speech", m.Timestamp))
		default:
			got = append(got, fmt.Sprintf("%.2f %s", m.Duration, m.Type))
		}
	}
	want := []string{
		"0.56 speech",
		`0.80 "one" final=false speech_final=false`,
		`1.06 "one two" final=false speech_final=false`,
		`1.90 "one two three" final=true speech_final=true`,
		"2.54 speech",
		`2.78 "four" final=false speech_final=false`,
		`2.98 "four" final=true speech_final=false`,
		"2.98 Metadata",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func sendAudio(t *testing.T, conn *websocket.Conn, pcm []int16, samples int) {
	t.Helper()
	for ; len(pcm) >= samples; pcm = pcm[samples:] {
		bytes := make([]byte, 0, 2*samples)
		for _, v := range pcm[:samples] {
			bytes = append(bytes, byte(v), byte(v>>8))
		}
		if err := conn.Write(t.Context(), websocket.MessageBinary, bytes); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTurns: AssemblyAI's messages of a turn that the client ends, and of one
// that the vendor does, formatted.
func TestTurns(t *testing.T) {
	server := emulator.NewAssemblyAI(t, emulator.Options{Key: "right"}, emulator.RecognizerScript{Lines: []string{"one two,", "three"}})
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL+assemblyAIPath+"&format_turns=true", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"right"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	sendMessage := func(text string) { conn.Write(t.Context(), websocket.MessageText, []byte(text)) }
	sendMessage(`{"type":"ForceEndpoint"}`) // of no turn
	sendAudio(t, conn, audio.Tone(300, 16000, 480*time.Millisecond), 960)
	sendMessage(`{"type":"ForceEndpoint"}`)
	sendAudio(t, conn, make([]int16, 16000), 960)
	sendAudio(t, conn, audio.Tone(300, 16000, 300*time.Millisecond), 960)
	sendAudio(t, conn, make([]int16, 16000), 960)
	sendMessage(`{"type":"Terminate"}`)
	var got []string
	for {
		_, message, err := conn.Read(context.Background())
		if err != nil {
			break
		}
		var m struct {
			Type, Transcript string
			Order            int     `json:"turn_order"`
			End              bool    `json:"end_of_turn"`
			Formatted        bool    `json:"turn_is_formatted"`
			Confidence       float64 `json:"end_of_turn_confidence"`
			Words            []struct{ Text string }
		}
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "Turn" {
			m.Type = fmt.Sprintf("turn %d %q of %d words end=%v formatted=%v %v", m.Order, m.Transcript, len(m.Words), m.End, m.Formatted, m.Confidence)
		}
		got = append(got, m.Type)
	}
	want := []string{
		"Begin",
		`turn 0 "" of 1 words end=false formatted=false 0.01`,
		`turn 0 "one two," of 2 words end=true formatted=false 0.01`,
		`turn 0 "one two," of 2 words end=true formatted=true 0.01`,
		`turn 1 "" of 1 words end=false formatted=false 0.01`,
		`turn 1 "three" of 1 words end=true formatted=false 0.93`,
		`turn 1 "three" of 1 words end=true formatted=true 0.93`,
		"Termination",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCloseEndsStreams: an emulator that is closed leaves no client waiting.
func TestCloseEndsStreams(t *testing.T) {
	server := emulator.NewDeepgram(t, emulator.Options{Key: "right", Delay: time.Hour}, emulator.RecognizerScript{})
	conn, _, err := websocket.Dial(t.Context(), server.URL+deepgramPath, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Token right"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.Write(t.Context(), websocket.MessageBinary, frame(200*time.Millisecond))
	conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"Finalize"}`))
	server.Close()
	if _, _, err := conn.Read(t.Context()); err == nil {
		t.Error("a closed server speaks")
	}
}
