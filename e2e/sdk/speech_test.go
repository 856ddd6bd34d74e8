// Package sdk has the vendors' own clients use the emulators, which are the judges of Parley's clients: what the official
// client does with the vendor it must be able to do with the emulator, without a breach of the protocol.
package sdk

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

const key = "the-right-key"

// serveTLS serves an emulator over TLS, which some clients insist on, and returns its address. The clients trust it by
// the certificate that NODE_EXTRA_CA_CERTS names.
func serveTLS(t *testing.T, address string) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(target))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NODE_EXTRA_CA_CERTS", file)
	return server.URL
}

// recording writes 1.2 s of sound and a second of silence to a file, as 16 kHz linear PCM.
func recording(t *testing.T) string {
	t.Helper()
	pcm := slices.Concat(audio.Tone(300, dialogue.ListenRate, 1200*time.Millisecond), make([]int16, dialogue.ListenRate))
	var raw bytes.Buffer
	if err := binary.Write(&raw, binary.LittleEndian, pcm); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "audio")
	if err := os.WriteFile(file, raw.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// patience bounds the wait for a program or a condition, on a busy machine.
const patience = 3 * time.Minute

// run has node run a script, and decodes what it prints.
func run(t *testing.T, result any, script string, arguments ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "node", append([]string{script}, arguments...)...)
	var failure bytes.Buffer
	command.Stderr = &failure
	out, err := command.Output()
	if err != nil {
		t.Fatalf("node %s: %v (after make prepare-test?)\n%s", script, err, failure.String())
	}
	if err := json.Unmarshal(out, result); err != nil {
		t.Fatalf("node %s printed %s: %v", script, out, err)
	}
}

func TestDeepgramSDK(t *testing.T) {
	const text = "one ticket to Rome please"
	server := emulator.NewDeepgram(t, emulator.Options{Key: key}, emulator.RecognizerScript{Lines: []string{text}})
	defer server.Close()
	type recognised struct {
		Said   string
		Events []string
	}
	var got struct {
		Refused, Spoken, Voiceless int
		Nova, Flux                 recognised
		LeftNova, LeftFlux         struct {
			recognised
			Code int
		}
		AbortedAfter int
		Aborted      string
	}
	run(t, &got, "deepgram.mjs", server.URL, key, recording(t))
	if got.Refused != 401 || got.Nova.Said != text || got.Flux.Said != text {
		t.Errorf("got %+v", got)
	}
	if got.Spoken < dialogue.SpeakRate || got.Voiceless != 400 {
		t.Errorf("Aura: %d bytes, an unknown voice: %d", got.Spoken, got.Voiceless)
	}
	for _, event := range []string{"Connected", "StartOfTurn", "EagerEndOfTurn", "EndOfTurn"} {
		if !slices.Contains(got.Flux.Events, event) {
			t.Errorf("Flux sent no %s: %v", event, got.Flux.Events)
		}
	}
	if l := got.LeftNova; l.Said == "" || !strings.HasPrefix(text, l.Said) || l.Events[len(l.Events)-1] != "Metadata" || l.Code != 1000 {
		t.Errorf("the client leaves Nova: %+v", l)
	}
	if l := got.LeftFlux; slices.Contains(l.Events, "EndOfTurn") || l.Code != 1000 {
		t.Errorf("the client leaves Flux: %+v", l)
	}
	awaitReleased(t, server)
	if got.AbortedAfter == 0 || got.Aborted != "AbortError" {
		t.Errorf("the client aborts Aura after %d bytes: %s", got.AbortedAfter, got.Aborted)
	}
}

// awaitReleased waits until a synthesiser has seen that a client left an utterance.
func awaitReleased(t *testing.T, server *emulator.Server) {
	t.Helper()
	for limit := time.Now().Add(patience); server.Released() == 0 && time.Now().Before(limit); {
		time.Sleep(10 * time.Millisecond)
	}
	if n := server.Released(); n != 1 {
		t.Errorf("the emulator saw %d utterances left, want 1", n)
	}
}

func TestAssemblyAISDK(t *testing.T) {
	const text = "one ticket to Rome please."
	server := emulator.NewAssemblyAI(t, emulator.Options{Key: key}, emulator.RecognizerScript{Lines: []string{text}})
	defer server.Close()
	type turn struct {
		Said      string
		Formatted bool
	}
	var got struct {
		Universal, Pro turn
		Left           struct {
			Said  string
			Ended bool
		}
		Refused int
	}
	run(t, &got, "assemblyai.mjs", serveTLS(t, server.URL), key, recording(t))
	if got.Universal != (turn{text, false}) || got.Pro != (turn{text, true}) || got.Refused != 1008 {
		t.Errorf("got %+v", got)
	}
	if !got.Left.Ended || got.Left.Said == "" {
		t.Errorf("the client leaves within a turn: %+v", got.Left)
	}
}

func TestCartesiaSDK(t *testing.T) {
	server := emulator.NewCartesia(t, emulator.Options{Key: key})
	defer server.Close()
	var got struct {
		Spoken struct {
			Bytes int
			Types []string
		}
		CancelledAfter int
		Refused        string
	}
	run(t, &got, "cartesia.mjs", serveTLS(t, server.URL), key)
	if got.Spoken.Bytes < 2*dialogue.SpeakRate || !slices.Contains(got.Spoken.Types, "timestamps") || !slices.Contains(got.Spoken.Types, "done") {
		t.Errorf("spoke %+v", got.Spoken)
	}
	awaitReleased(t, server)
	if got.CancelledAfter == 0 {
		t.Error("the client cancelled before the first audio")
	}
	if !strings.Contains(got.Refused, "401") {
		t.Errorf("another key: %s", got.Refused)
	}
}

func TestElevenLabsSDK(t *testing.T) {
	const text = "One ticket to Rome, please."
	server := emulator.NewElevenLabsSpeech(t, emulator.Options{Key: key}, emulator.RecognizerScript{Lines: []string{text}})
	defer server.Close()
	type recognised struct {
		Said  string
		Types []string
	}
	var got struct {
		Manual, VAD   recognised
		Refused, Left string
		Models        []string
		ModelsRefused int
	}
	run(t, &got, "elevenlabs.mjs", server.URL, key, recording(t))
	if got.Manual.Said != text || got.VAD.Said != text || got.Refused != "auth_error" {
		t.Errorf("got %+v", got)
	}
	if !slices.Contains(got.Manual.Types, "session_started") || !slices.Contains(got.Manual.Types, "partial_transcript") {
		t.Errorf("events %v", got.Manual.Types)
	}
	if got.Left == "" || !slices.Contains(got.Models, "eleven_flash_v2_5") || got.ModelsRefused != 401 {
		t.Errorf("leaves after %q, lists the models %q, with another key %d", got.Left, got.Models, got.ModelsRefused)
	}
}

// OpenAI's client judges the audio of OpenAI and Groq, which are requests.
func TestOpenAIAudioSDK(t *testing.T) {
	const text = "one ticket to Rome please"
	o, script := emulator.Options{Key: key}, emulator.RecognizerScript{Lines: []string{text}}
	servers := map[string]*emulator.Server{
		"openai": emulator.NewCompatible(t, o, emulator.Compatible{OpenAI: true, Recognizer: script}), "groq": emulator.NewCompatible(t, o, emulator.Compatible{Groq: true, Recognizer: script}),
	}
	var wav bytes.Buffer
	if err := audio.WriteWAV(&wav, slices.Concat(audio.Tone(300, dialogue.ListenRate, time.Second), make([]int16, dialogue.ListenRate/2)), dialogue.ListenRate); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "line.wav")
	if err := os.WriteFile(file, wav.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var got map[string]struct {
		Said, Aborted string
		Spoken        int
		Refused       []int
	}
	run(t, &got, "openai-audio.mjs", addressesOf(t, servers), key, file)
	for vendor, server := range servers {
		g := got[vendor]
		if g.Said != text || g.Spoken < dialogue.SpeakRate || g.Aborted != "AbortError" || !slices.Equal(g.Refused, []int{401, 401}) {
			t.Errorf("%s: %+v", vendor, g)
		}
		awaitReleased(t, server)
	}
}
