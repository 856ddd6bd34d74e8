package elevenlabs

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

func wireOf(t *testing.T, o dialogue.VoiceOptions) *wire {
	t.Helper()
	w, err := newWire(Options{Key: "k", BaseURL: "https://proxy.example/v1/"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// sent are messages as they go over the wire.
func sent(t *testing.T, messages []any) []string {
	t.Helper()
	var lines []string
	for _, m := range messages {
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(data))
	}
	return lines
}

func TestMessages(t *testing.T) {
	w := wireOf(t, dialogue.VoiceOptions{VoiceID: "a/b", Language: "pt-BR", Speed: 1.1})
	address, header := w.Endpoint()
	want := "https://proxy.example/v1/text-to-speech/a%2Fb/multi-stream-input?auto_mode=true&inactivity_timeout=180&language_code=pt" +
		"&model_id=eleven_flash_v2_5&output_format=pcm_24000&sync_alignment=true"
	if address != want || header.Get("xi-api-key") != "k" {
		t.Errorf("%s with %v, want %s", address, header, want)
	}
	if address, _ := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"}).Endpoint(); strings.Contains(address, "language") {
		t.Errorf("a language where the agent has none: %s", address)
	}
	for _, c := range []struct {
		name string
		got  []any
		want []string
	}{
		{"begin", w.Begin("c"), []string{`{"text":" ","voice_settings":{"speed":1.1},"context_id":"c"}`}},
		{"say", w.Say("c", "Olá."), []string{`{"text":"Olá. ","context_id":"c","flush":true}`}},
		{"end", w.End("c"), []string{`{"context_id":"c","close_context":true}`}},
		{"cancel", w.Cancel("c", false), []string{`{"context_id":"c","close_context":true}`}},
		{"cancel after the end", w.Cancel("c", true), nil},
	} {
		if diff := cmp.Diff(c.want, sent(t, c.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestSpeed(t *testing.T) {
	for speed, want := range map[float64]string{
		0:   `{"text":" ","context_id":"c"}`,
		1:   `{"text":" ","context_id":"c"}`,
		0.5: `{"text":" ","voice_settings":{"speed":0.7},"context_id":"c"}`,
		2:   `{"text":" ","voice_settings":{"speed":1.2},"context_id":"c"}`,
	} {
		if got := sent(t, wireOf(t, dialogue.VoiceOptions{VoiceID: "v", Speed: speed}).Begin("c")); got[0] != want {
			t.Errorf("speed %v: %s, want %s", speed, got[0], want)
		}
	}
}

func TestErrorsOfTheWire(t *testing.T) {
	w := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"})
	for _, c := range []struct {
		message, text string
		refused       bool
	}{
		{`{"message":"Invalid API key","error":"invalid_api_key","code":1008}`, "the key is refused by the provider: Invalid API key", true},
		{`{"message":"No more credits.","error":"quota_exceeded","code":1008}`, "the account is refused by the provider: No more credits.", true},
		{`{"error":"voice_id_does_not_exist","code":1008}`, "the request is refused by the provider: voice_id_does_not_exist", true},
		{`{"message":"Five!","error":"max_active_conversations","code":1008,"contextId":"c"}`, "too many requests at once: Five!", false},
		{`{"message":"Too late.","error":"input_timeout_exceeded","code":1008}`, "the provider gave up waiting: Too late.", false},
		{`{"message":"Never heard of.","error":"something_new","code":1008}`, "the provider reports an error: Never heard of.", false},
		{`{"message":"Never heard of.","error":"something_new","code":503}`, "the provider fails with status 503: Never heard of.", false},
	} {
		m, err := w.Read([]byte(c.message))
		if err != nil || m.Err == nil || m.Err.Error() != c.text || errors.Is(m.Err, dialogue.ErrRefused) != c.refused {
			t.Errorf("%s: %v, %v", c.message, m.Err, err)
		}
	}
	for _, message := range []string{`<html>`, `{}`, `[]`, `{"audio":"no base64!","contextId":"c"}`, `{"isFinal":"yes","contextId":"c"}`} {
		if _, err := w.Read([]byte(message)); err == nil {
			t.Errorf("%s is taken", message)
		}
	}
	for _, message := range []string{`{"isFinal":true,"contextId":"c"}`, `{"isFinal":true,"context_id":"c"}`} {
		if m, err := w.Read([]byte(message)); err != nil || !m.Done || m.Context != "c" {
			t.Errorf("%s: %+v, %v", message, m, err)
		}
	}
}

// piece is a message with 100 ms of audio for each letter of a text.
func piece(name, letters string) string {
	chars, starts, durations := []string{}, []int{}, []int{}
	for i, r := range []rune(letters) {
		chars, starts, durations = append(chars, string(r)), append(starts, 100*i), append(durations, 100)
	}
	m := map[string]any{"contextId": "c", "audio": make([]byte, 2*dialogue.SpeakRate/10*len(chars)), "isFinal": nil}
	if name != "" {
		m[name] = map[string]any{"chars": chars, "charStartTimesMs": starts, "charDurationsMs": durations}
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestTextsAndWords describes the speech that is made of messages: a text
// where it begins, a word with its times, the length of it all.
func TestTextsAndWords(t *testing.T) {
	const flushDone = `{"type":"flush_done","context_id":"c"}`
	want := []string{"Hi you.@0s", "Hi 0s-200ms", "you. 300ms-700ms", "Bye.@800ms", "Bye. 800ms-1.2s", "1.3s"}
	timeless := []string{"Hi you.@0s", "Bye.@800ms", "1.3s"}
	for _, c := range []struct {
		name     string
		messages []string
		want     []string
	}{
		{"a message each", []string{piece("alignment", "Hi you. "), piece("alignment", "Bye. ")}, want},
		{"one message", []string{piece("alignment", "Hi you. Bye. ")}, want},
		{"cut anywhere", []string{piece("alignment", "H"), piece("alignment", "i yo"), piece("alignment", "u. B"), piece("alignment", "ye. ")}, want},
		{"without the space at the end", []string{piece("alignment", "Hi you. "), piece("alignment", "Bye."), piece("", "-")}, want},
		{"normalised alone", []string{piece("normalizedAlignment", "Hi you. "), piece("normalizedAlignment", "Bye. ")}, want},
		{"flush_done beside the letters", []string{piece("alignment", "Hi you. "), flushDone, piece("alignment", "Bye. "), flushDone}, want},
		{"no letters, but flush_done", []string{piece("", "Hi you. "), flushDone, piece("", "Bye. "), flushDone}, timeless},
		{"nothing at all", []string{piece("", "Hi you. "), piece("", "Bye. ")}, []string{"Hi you.@0s", "Bye.@1.3s", "1.3s"}},
		{"letters for part of the audio", []string{piece("alignment", "Hi you. "), piece("", "-"), piece("alignment", "Bye. ")},
			[]string{"Hi you.@0s", "Hi 0s-200ms", "you. 300ms-700ms", "Bye.@900ms", "Bye. 900ms-1.3s", "1.4s"}},
	} {
		w := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"})
		f := w.Follow(0)
		f.Said("Hi you.", "Hi you.")
		f.Said("Bye.", "Bye.")
		var pieces []dialogue.Speech
		for _, message := range c.messages {
			m, err := w.Read([]byte(message))
			if err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, f.HandleMessage(m)...)
		}
		if diff := cmp.Diff(c.want, describe(append(pieces, f.Rest()...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func describe(pieces []dialogue.Speech) []string {
	var log, words []string // words follow the text that was the last when they came
	samples := 0
	for _, p := range pieces {
		if p.Text != "" {
			log = append(log, words...)
			log, words = append(log, p.Text+"@"+duration(samples).String()), nil
		}
		samples += len(p.PCM)
		for _, w := range p.Words {
			words = append(words, w.Text+" "+w.Start.Round(time.Millisecond).String()+"-"+w.End.Round(time.Millisecond).String())
		}
	}
	log = append(log, words...)
	return append(log, duration(samples).String())
}

// Nonsense in an alignment neither crashes nor loses audio.
func TestNonsenseAlignment(t *testing.T) {
	w := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"})
	f := w.Follow(0)
	f.Said("Hi.", "Hi.")
	f.Said("Ho.", "Ho.")
	m, err := w.Read([]byte(`{"contextId":"c","audio":"AAAAAAAA","alignment":{"chars":["Hi."," ","H","o",".","",""],"charStartTimesMs":[1e300,-5,99999999,7,3,2],"charDurationsMs":[1,1,-1,1,1e300,1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	samples := 0
	for _, p := range append(f.HandleMessage(m), f.Rest()...) {
		samples += len(p.PCM)
	}
	if samples != 3 {
		t.Errorf("%d samples of 3", samples)
	}
}

// Whatever a server sends, no audio of it is lost or made up, every text is
// marked once, and nothing breaks.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"contextId":"c","audio":"AAAAAAA=","alignment":{"chars":["H","i"," "],"charStartTimesMs":[0,1,2],"charDurationsMs":[1,1,1]}}`))
	f.Add([]byte(`{"context_id":"c","audio":"AAAA","normalizedAlignment":{"chars":["Ho"],"charsStartTimesMs":[9],"charsDurationsMs":[1]}}`))
	f.Add([]byte(`{"type":"flush_done","contextId":"c"}`))
	f.Add([]byte(`{"error":"quota_exceeded","code":1008}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"})
		follower := w.Follow(7)
		follower.Said("Hi you.", "Hi you.")
		follower.Said("Bye.", "Bye.")
		audio, samples := 0, 0
		var texts []string
		collect := func(pieces []dialogue.Speech) {
			for _, p := range pieces {
				samples += len(p.PCM)
				if p.Text != "" {
					texts = append(texts, p.Text)
				}
			}
		}
		for range 3 {
			m, err := w.Read(data)
			if err != nil {
				return
			}
			audio += len(m.Audio)
			collect(follower.HandleMessage(m))
		}
		collect(follower.Rest())
		if samples != audio/2 || follower.Samples() != 7+samples {
			t.Errorf("%d bytes became %d samples, counted %d", audio, samples, follower.Samples()-7)
		}
		if diff := cmp.Diff([]string{"Hi you.", "Bye."}, texts); diff != "" {
			t.Error(diff)
		}
	})
}
