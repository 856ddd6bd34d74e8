package caller

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// A load run over WebRTC: as many lines as there are to be turns, each of them answered. What is measured is tested in
// virtual time, in TestConversation and its like.
func TestBench(t *testing.T) {
	t.Parallel()
	const turns = 3
	lines := 0
	s := newService(t, func(p *media.Participant) {
		awaitCaller(p)
		say(p, 440, 600*time.Millisecond)
		for awaitLine(p, 300*time.Millisecond, 700, 1000) > 0 {
			lines++
			say(p, 500, 600*time.Millisecond)
		}
	})
	figures, err := Bench(t.Context(), BenchOptions{
		Server: s.URL, APIKey: "k", Agent: "demo", Calls: 1, Turns: turns, Say: []string{"700", "1000"},
		Synthesizer: tones{}, Joiner: s.join, Failed: func(id string, err error) { t.Errorf("call %s failed: %v", id, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.running.Wait()
	if figures.Calls != 1 || figures.Started != 1 || figures.Failed != 0 || figures.Turns != turns || lines != turns || figures.MissedTurns != 0 {
		t.Errorf("%+v; the agent received %d lines", figures, lines)
	}
	if figures.VoiceToVoiceMS.P50 == nil || figures.DispatchMS.P50 == nil || figures.InterruptionMS.P50 != nil {
		t.Errorf("%+v, want times of replies and of the dispatch, and no interruption", figures)
	}
}

func TestBenchOfAServerThatRefuses(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, map[string]any{"error": map[string]string{"code": "not_found", "message": "agent not found"}})
	}))
	defer s.Close()
	failures := make(chan error, 3)
	figures, err := Bench(t.Context(), BenchOptions{
		Server: s.URL, Agent: "nobody", Calls: 3, Duration: time.Second, Say: []string{"700"}, Synthesizer: tones{},
		Failed: func(_ string, err error) { failures <- err },
	})
	if err != nil || figures.Calls != 3 || figures.Started != 0 || figures.Failed != 3 || len(failures) != 3 {
		t.Fatalf("%+v, %v", figures, err)
	}
	if err := <-failures; !strings.Contains(err.Error(), "agent not found") {
		t.Error(err)
	}
}

func TestBenchOptions(t *testing.T) {
	good := BenchOptions{Server: "s", Agent: "a", Calls: 1, Duration: 1, Say: []string{"x"}}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*BenchOptions){
		"server's address": func(o *BenchOptions) { o.Server = "" },
		"name an agent":    func(o *BenchOptions) { o.Agent = "" },
		"1 call":           func(o *BenchOptions) { o.Calls = 0 },
		"duration":         func(o *BenchOptions) { o.Duration = 0 },
		"turns":            func(o *BenchOptions) { o.Turns = -1 },
		"ramp":             func(o *BenchOptions) { o.Ramp = -1 },
		"interruptions":    func(o *BenchOptions) { o.InterruptEvery = -1 },
		"nothing to say":   func(o *BenchOptions) { o.Say = nil },
	} {
		o := good
		change(&o)
		if _, err := Bench(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one of %q", err, want)
		}
	}
}

// Interruptions come at every so manyth line, at another one for each caller.
func TestLitany(t *testing.T) {
	b := &bench{o: BenchOptions{InterruptEvery: 3, InterruptAfter: time.Second}, lines: words(t, "a", "b"), until: time.Now().Add(time.Hour)}
	for first, want := range []string{"a b a! b a b! a", "b a! b a b! a b", "a b a b! a b a!"} {
		var got []string
		l := loopScript{b, first}
		for n := range 7 {
			line, more := l.next(n)
			if !more {
				t.Fatal("no more to say")
			}
			text := line.text
			if l.interruptAfter(n) == time.Second {
				text += "!"
			}
			got = append(got, text)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("caller %d says %s, want %s", first, s, want)
		}
	}
	b.until = time.Now()
	if _, more := (&loopScript{b, 0}).next(0); more {
		t.Error("there is more to say when the time is over")
	}
	b.o.Turns = 2
	for n, want := range []bool{true, true, false} {
		if _, more := (&loopScript{b, 0}).next(n); more != want {
			t.Errorf("of 2 turns, there is a line %d: %v", n+1, more)
		}
	}
}

// Of packets alone, a pause between two is the silence between two stretches of speech, and what was not decoded is speech.
func TestEarOfPackets(t *testing.T) {
	tone, quiet := audio.Tone(440, dialogue.ListenRate, 20*time.Millisecond), make([]int16, 320)
	e := speechDetector{packets: true}
	start := time.Now()
	now := start
	detect := func(frame []int16, n int) (began bool) {
		for range n {
			now = now.Add(20 * time.Millisecond)
			began = e.push(frame, now) || began
		}
		return began
	}
	at := func(moment time.Time) time.Duration { return moment.Sub(start) }
	if detect(quiet, 2) || detect(tone, 2) || detect(quiet, 1) {
		t.Error("a click counts as speech")
	}
	if !detect(tone, 3) || at(e.first) != 120*time.Millisecond {
		t.Errorf("speech began at %v, want 120 ms", at(e.first))
	}
	if detect(nil, 10) || at(e.last) != 360*time.Millisecond {
		t.Errorf("what was not decoded: last at %v, want 360 ms", at(e.last))
	}
	now = now.Add(60 * time.Millisecond) // jitter
	if detect(tone, 1) || at(e.last) != 440*time.Millisecond {
		t.Errorf("after jitter: last at %v, want 440 ms", at(e.last))
	}
	now = now.Add(500 * time.Millisecond)
	if !detect(tone, 3) || at(e.first) != 960*time.Millisecond {
		t.Errorf("the next stretch began at %v, want 960 ms", at(e.first))
	}
}

func TestFigures(t *testing.T) {
	f := newFigures(3)
	for n := 1; n <= 20; n++ {
		f.add(&Result{DispatchToTrackMS: milliseconds(time.Duration(n) * time.Millisecond),
			Turns: []Turn{{VoiceToVoiceMS: milliseconds(time.Duration(n) * 10 * time.Millisecond)}, {}}}, nil)
	}
	f.add(&Result{}, []time.Duration{150 * time.Millisecond})
	f.Started, f.Failed = 2, 1
	encoded, err := json.Marshal(f.sum())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"calls":3,"started":2,"failed":1,"turns":40,"missed_turns":20,"voice_to_voice_ms":{"p50":100,"p95":190},` +
		`"dispatch_ms":{"p50":10,"p95":19},"interruption_ms":{"p50":150,"p95":150}}`
	if string(encoded) != want {
		t.Errorf("got  %s\nwant %s", encoded, want)
	}
	if encoded, err = json.Marshal(newFigures(1).sum().DispatchMS); err != nil || string(encoded) != `{"p50":null,"p95":null}` {
		t.Errorf("of nothing: %s, %v", encoded, err)
	}
	var b bytes.Buffer
	f.InterruptionMS = Quantiles{}
	if err := f.Print(&b); err != nil {
		t.Fatal(err)
	}
	const text = `calls            3, 2 started, 1 failed
turns            40, 20 missed
voice to voice   p50 100.0 ms, p95 190.0 ms, of 20
dispatch → track p50 10.0 ms, p95 19.0 ms, of 20
interruption     –
`
	if d := cmp.Diff(text, b.String()); d != "" {
		t.Error(d)
	}
}

// Packets that are not Opus are skipped frames; no goroutine waits for a reader.
func TestLightLine(t *testing.T) {
	l := newLightLine()
	packets, err := media.Encode([][]int16{audio.Tone(440, dialogue.SpeakRate, 20*time.Millisecond), audio.Tone(440, dialogue.SpeakRate, 20*time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	l.handlePacket(packets[0].Opus, time.Now())
	l.handlePacket(packets[1].Opus, time.Now())
	<-l.Frames()
	if frame := <-l.Frames(); len(frame) != 320 || !voiced(frame) {
		t.Errorf("a tone came as %d samples", len(frame))
	}
	l.listening.Store(false)
	l.handlePacket(packets[0].Opus, time.Now())
	if frame := <-l.Frames(); frame != nil {
		t.Error("decoded although nobody listens")
	}
	for range 100 {
		l.handlePacket([]byte{0xff}, time.Now())
	}
	if len(l.Frames()) != 64 {
		t.Errorf("%d frames wait", len(l.Frames()))
	}
}
