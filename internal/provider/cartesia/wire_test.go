package cartesia

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/synthesis"
)

func wireOf(t *testing.T, o dialogue.VoiceOptions) *wire {
	t.Helper()
	w, err := newWire(Options{Key: "k", BaseURL: "https://proxy.example/cartesia/"}, o)
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
	w := wireOf(t, dialogue.VoiceOptions{VoiceID: "v", Language: "pt-BR", Speed: 1.2})
	address, header := w.Endpoint()
	if want := "https://proxy.example/cartesia/tts/websocket?cartesia_version=2026-03-01"; address != want || header.Get("X-API-Key") != "k" {
		t.Errorf("%s with %v, want %s", address, header, want)
	}
	const generation = `{"model_id":"sonic-3","transcript":"%","voice":{"mode":"id","id":"v"},"language":"pt","context_id":"c",` +
		`"output_format":{"container":"raw","encoding":"pcm_s16le","sample_rate":24000},"add_timestamps":true,"max_buffer_delay_ms":0,`
	text := func(transcript, end string) string { return strings.Replace(generation, "%", transcript, 1) + end }
	const speed = `"generation_config":{"speed":1.2}}`
	for _, c := range []struct {
		name string
		got  []any
		want []string
	}{
		{"begin", w.Begin("c"), nil},
		{"say", w.Say("c", "Olá."), []string{text("Olá. ", `"continue":true,`+speed), text("", `"continue":true,"flush":true,`+speed)}},
		{"end", w.End("c"), []string{text("", `"continue":false,`+speed)}},
		{"cancel", w.Cancel("c", false), []string{`{"context_id":"c","cancel":true}`}},
		{"cancel after the end", w.Cancel("c", true), []string{`{"context_id":"c","cancel":true}`}},
	} {
		if diff := cmp.Diff(c.want, sent(t, c.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestSpeedAndLanguage(t *testing.T) {
	for _, c := range []struct {
		speed    float64
		language string
		want     string
	}{
		{0, "", `{}`},
		{1, "en", `{"language":"en"}`},
		{0.1, "en-GB", `{"language":"en","generation_config":{"speed":0.6}}`},
		{4, "nb-NO", `{"language":"no","generation_config":{"speed":1.5}}`},
		{0.9, "zh-Hant-TW", `{"language":"zh","generation_config":{"speed":0.9}}`},
	} {
		g := wireOf(t, dialogue.VoiceOptions{VoiceID: "v", Speed: c.speed, Language: c.language}).generation
		got, err := json.Marshal(struct {
			Language string  `json:"language,omitempty"`
			Config   *config `json:"generation_config,omitempty"`
		}{g.Language, g.Config})
		if err != nil || string(got) != c.want {
			t.Errorf("speed %v, language %q: %s, want %s (%v)", c.speed, c.language, got, c.want, err)
		}
	}
}

func TestModels(t *testing.T) {
	for model, want := range map[string]string{
		"": "sonic-3 1.2", "sonic-3-2026-01-12": "sonic-3-2026-01-12 1.2", "sonic-3.6": "sonic-3.6 1.2", "sonic-3.5": "sonic-3.5", "sonic-2": "sonic-2", "sonic-turbo-2025-06-04": "sonic-turbo-2025-06-04",
	} {
		g := wireOf(t, dialogue.VoiceOptions{Model: model, VoiceID: "v", Speed: 1.2}).generation
		got := g.ModelID
		if g.Config != nil {
			got += fmt.Sprint(" ", g.Config.Speed)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", model, got, want)
		}
	}
}

// A known emotion is sent to the models that support emotions.
func TestEmotion(t *testing.T) {
	for _, c := range []struct{ model, emotion, want string }{
		{"sonic-3", "calm", "calm"}, {"sonic-3.5", "calm", "calm"}, {"sonic-2", "calm", ""}, {"sonic-3", "hungry", ""}, {"sonic-3", "", ""},
	} {
		got := ""
		if g := wireOf(t, dialogue.VoiceOptions{Model: c.model, VoiceID: "v", Emotion: c.emotion}).generation; g.Config != nil {
			got = g.Config.Emotion
		}
		if got != c.want {
			t.Errorf("%s, %q: %q, want %q", c.model, c.emotion, got, c.want)
		}
	}
}

func TestErrorsOfTheWire(t *testing.T) {
	w := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"})
	for _, c := range []struct {
		message, text string
		refused       bool
	}{
		{`{"type":"error","status_code":404,"title":"Not found","message":"No such voice.","context_id":"c"}`, "the request is refused by the provider: No such voice.", true},
		{`{"type":"error","status_code":401,"title":"Unauthorized"}`, "the key is refused by the provider: Unauthorized", true},
		{`{"type":"error","status_code":402,"message":"No credits."}`, "the account is refused by the provider: No credits.", true},
		{`{"type":"error","status_code":429,"message":"Slow\n down."}`, "too many requests at once: Slow down.", false},
		{`{"type":"error","status_code":500,"error":"Old: form"}`, "the provider fails with status 500: Old: form", false},
		{`{"type":"error"}`, "the provider reports an error", false},
	} {
		m, err := w.Read([]byte(c.message))
		if err != nil || m.Err == nil || m.Err.Error() != c.text || errors.Is(m.Err, dialogue.ErrRefused) != c.refused {
			t.Errorf("%s: %v, %v", c.message, m.Err, err)
		}
	}
	for _, message := range []string{`<html>`, `{}`, `[]`, `{"type":"chunk","data":"no base64!"}`, `{"type":"chunk","data":7}`} {
		if _, err := w.Read([]byte(message)); err == nil {
			t.Errorf("%s is taken", message)
		}
	}
	if m, err := w.Read([]byte(`{"type":"phoneme_timestamps","context_id":"c"}`)); err != nil || m.Err != nil {
		t.Errorf("a message of a type to come is an error: %v, %v", m.Err, err)
	}
}

// follow makes speech of messages and describes it: a text where it begins, a
// number of samples, a word with its times in milliseconds.
func follow(t *testing.T, f synthesis.Follower, texts []string, messages []string) (log []string) {
	t.Helper()
	w := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"})
	for _, text := range texts {
		f.Said(text, text)
	}
	var pieces []dialogue.Speech
	for _, message := range messages {
		m, err := w.Read([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, f.HandleMessage(m)...)
	}
	return describe(append(pieces, f.Rest()...))
}

func describe(pieces []dialogue.Speech) (log []string) {
	samples := 0
	for _, p := range pieces {
		if p.Text != "" {
			log = append(log, p.Text+"@"+duration(samples).String())
		}
		samples += len(p.PCM)
		for _, w := range p.Words {
			log = append(log, w.Text+" "+w.Start.Round(time.Millisecond).String()+"-"+w.End.Round(time.Millisecond).String())
		}
	}
	return append(log, duration(samples).String())
}

// chunk is a message with 100 ms of audio.
func chunk(flush string) string {
	data, err := json.Marshal(make([]byte, 2*dialogue.SpeakRate/10))
	if err != nil {
		panic(err)
	}
	return `{"type":"chunk","context_id":"c",` + flush + `"data":` + string(data) + `}`
}

func words(flush, words, starts, ends string) string {
	return `{"type":"timestamps","context_id":"c",` + flush + `"word_timestamps":{"words":` + words + `,"start":` + starts + `,"end":` + ends + `}}`
}

func flushed(id string) string {
	return `{"type":"flush_done","context_id":"c",` + id + `"flush_done":true}`
}

func TestTextsAreToldApart(t *testing.T) {
	const one, two, three = `"flush_id":1,`, `"flush_id":2,`, `"flush_id":3,`
	both := []string{"One.@0s", "Two.@200ms", "300ms"}
	for _, c := range []struct {
		name     string
		messages []string
		want     []string
	}{
		{"by number and flush_done", []string{chunk(one), chunk(one), flushed(one), chunk(two), flushed(two)}, both},
		{"by number alone", []string{chunk(one), chunk(one), chunk(two)}, both},
		{"by numbers from 0 on", []string{chunk(`"flush_id":0,`), chunk(`"flush_id":0,`), flushed(`"flush_id":0,`), chunk(one)}, both},
		{"by flush_done alone", []string{chunk(""), chunk(""), flushed(""), chunk(""), flushed("")}, both},
		{"though each flush is done twice", []string{chunk(one), chunk(one), flushed(one), flushed(two), chunk(three), flushed(three), flushed(`"flush_id":4,`)}, both},
		{"not at all", []string{chunk(""), chunk(""), chunk("")}, []string{"One.@0s", "Two.@300ms", "300ms"}},
	} {
		if diff := cmp.Diff(c.want, follow(t, wireOf(t, dialogue.VoiceOptions{VoiceID: "v"}).Follow(0), []string{"One.", "Two."}, c.messages)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestWordTimes(t *testing.T) {
	const one, two = `"flush_id":1,`, `"flush_id":2,`
	// The utterance has a second of speech already, of another context.
	want := []string{"One.@0s", "One. 1.01s-1.15s", "Two.@200ms", "Two. 1.21s-1.29s", "300ms"}
	for _, c := range []struct {
		name     string
		messages []string
		want     []string
	}{
		{"from the start of the context", []string{chunk(one), words(one, `["One."]`, `[0.01]`, `[0.15]`), chunk(one), chunk(two), words(two, `["Two."]`, `[0.21]`, `[0.29]`)}, want},
		{"from the start of the text", []string{chunk(one), words(one, `["One."]`, `[0.01]`, `[0.15]`), chunk(one), chunk(two), words(two, `["Two."]`, `[0.01]`, `[0.09]`)}, want},
		{"before the audio", []string{words(one, `["One."]`, `[0.01]`, `[0.15]`), chunk(one), chunk(one), words(two, `["Two."]`, `[0.21]`, `[0.29]`), chunk(two)},
			[]string{"One. 1.01s-1.15s", "One.@0s", "Two. 1.21s-1.29s", "Two.@200ms", "300ms"}},
		{"rounded to before the text", []string{chunk(one), chunk(one), chunk(two), words(two, `["Two."]`, `[0.198]`, `[0.29]`)},
			[]string{"One.@0s", "Two.@200ms", "Two. 1.2s-1.29s", "300ms"}},
		{"late", []string{chunk(one), chunk(one), chunk(two), words(one, `["One."]`, `[0.01]`, `[0.15]`)},
			[]string{"One.@0s", "Two.@200ms", "One. 1.01s-1.15s", "300ms"}},
		{"lists of unequal length", []string{chunk(one), words(one, `["One.","extra"]`, `[0.01]`, `[0.15,0.2]`), chunk(one), chunk(two)},
			[]string{"One.@0s", "One. 1.01s-1.15s", "Two.@200ms", "300ms"}},
		{"nonsense", []string{chunk(one), words(one, `["One."," "]`, `[-5,1e300]`, `[1e300,1e300]`), chunk(one), chunk(two)},
			[]string{"One.@0s", "One. 1s-24h0m1s", "Two.@200ms", "300ms"}},
	} {
		f := wireOf(t, dialogue.VoiceOptions{VoiceID: "v"}).Follow(dialogue.SpeakRate)
		if diff := cmp.Diff(c.want, follow(t, f, []string{"One.", "Two."}, c.messages)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Whatever a server sends, no audio of it is lost or made up, every text is
// marked once, and nothing breaks.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"type":"chunk","context_id":"c","flush_id":2,"data":"AAAAAAA="}`))
	f.Add([]byte(`{"type":"timestamps","flush_id":1,"word_timestamps":{"words":["a"],"start":[0.1],"end":[0.2]}}`))
	f.Add([]byte(`{"type":"flush_done","flush_id":1}`))
	f.Add([]byte(`{"type":"error","status_code":404}`))
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
