package caller

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// room is a room in virtual time whose agent is a function.
type room struct {
	frames chan []int16
	events chan media.Event

	mu     sync.Mutex
	played []time.Time // frames that the caller sent
	spoken []time.Time // those of them that held speech
	over   bool
}

// said is how many frames of speech were sent, and when the last was.
func (r *room) said() (n int, last time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n = len(r.spoken); n > 0 {
		last = r.spoken[n-1]
	}
	return n, last
}

func (r *room) Frames() <-chan []int16     { return r.frames }
func (r *room) Events() <-chan media.Event { return r.events }

func (r *room) PlayPacket(p media.Packet) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return errors.New("the room is closed")
	}
	r.played = append(r.played, time.Now())
	if p.Level < -speechLevel {
		r.spoken = append(r.spoken, time.Now())
	}
	return nil
}

// send delivers frames to the caller for that long, one every 20 ms.
func (r *room) send(freq float64, d time.Duration) {
	pcm := make([]int16, dialogue.ListenRate*int(d/time.Millisecond)/1000)
	if freq > 0 {
		pcm = audio.Tone(freq, dialogue.ListenRate, d)
	}
	for ; len(pcm) > 0; pcm = pcm[320:] {
		r.hand(pcm[:320])
		time.Sleep(dialogue.FrameDuration)
	}
}

// hand drops frames that nobody takes, as the participant does.
func (r *room) hand(frame []int16) {
	select {
	case r.frames <- frame:
	default:
	}
}

func (r *room) speak(d time.Duration) { r.send(440, d) }
func (r *room) quiet(d time.Duration) { r.send(0, d) }

// awaitSpeech is quiet until the caller has begun to speak.
func (r *room) awaitSpeech() {
	for before, _ := r.said(); ; {
		if n, _ := r.said(); n > before {
			return
		}
		r.quiet(dialogue.FrameDuration)
	}
}

// awaitLine is quiet until the caller has said a line, and for d after its last packet.
func (r *room) awaitLine(d time.Duration) {
	r.awaitSpeech()
	for {
		if _, last := r.said(); time.Since(last) >= d {
			return
		}
		r.quiet(dialogue.FrameDuration)
	}
}

func (r *room) close() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.events <- media.Event{Kind: media.RoomClosed}
	close(r.events)
	close(r.frames)
}

func words(t *testing.T, texts ...string) []line {
	t.Helper()
	var lines []line
	for _, text := range texts {
		l, err := newLine(text, audio.Tone(300, dialogue.SpeakRate, time.Second))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// talk runs a caller against an agent, whose function must end, and returns the result.
func talk(t *testing.T, lines []line, o Options, agent func(*room)) (c *conversation, r *room, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r = &room{frames: make(chan []int16, 50), events: make(chan media.Event, 8)}
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(7 * time.Millisecond) // the two clocks tick apart
			r.events <- media.Event{Kind: media.PeerAudio}
			agent(r)
		}()
		c = newConversation(r, lines, o)
		began := time.Now()
		if err := c.run(t.Context()); err != nil {
			t.Error(err)
		}
		took = time.Since(began)
		<-done
	})
	return c, r, took
}

func near(t *testing.T, what string, got *float64, want time.Duration) {
	t.Helper()
	if got == nil || math.Abs(*got-float64(want.Milliseconds())) > 20 {
		t.Errorf("%s: %v ms, want %v", what, deref(got), want)
	}
}

func deref(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

func measured(c *conversation) *Result {
	r := &Result{}
	r.setMeasurements(c, time.Time{})
	return r
}

func TestConversation(t *testing.T) {
	var greeted time.Time
	c, r, _ := talk(t, words(t, "one", "two"), Options{}, func(r *room) {
		r.quiet(300 * time.Millisecond)
		r.speak(time.Second)
		r.quiet(600 * time.Millisecond) // between two sentences
		r.speak(time.Second)
		greeted = time.Now()
		r.awaitLine(500 * time.Millisecond)
		r.speak(2 * time.Second)
		r.awaitLine(300 * time.Millisecond)
		r.speak(time.Second)
		r.close()
	})
	if wait := r.spoken[0].Sub(greeted); wait < replyEnd-40*time.Millisecond || wait > replyEnd+40*time.Millisecond {
		t.Errorf("the first line came %v after the greeting, want %v", wait, replyEnd)
	}
	result := measured(c)
	if len(result.Turns) != 2 {
		t.Fatalf("turns: %+v", result.Turns)
	}
	near(t, "first reply", result.Turns[0].VoiceToVoiceMS, 500*time.Millisecond)
	near(t, "second reply", result.Turns[1].VoiceToVoiceMS, 300*time.Millisecond)
	if result.InterruptionMS != nil {
		t.Errorf("an interruption of %v ms, but there was none", *result.InterruptionMS)
	}
	for i := 1; i < len(r.played); i++ {
		if gap := r.played[i].Sub(r.played[i-1]); gap != dialogue.FrameDuration {
			t.Fatalf("frame %d was sent %v after the one before", i, gap)
		}
	}
	if got := len(r.spoken); got != 100 {
		t.Errorf("%d frames of speech were sent, want the 2 s of both lines", got)
	}
}

func TestHangUp(t *testing.T) {
	c, _, took := talk(t, words(t, "one"), Options{HangUp: true}, func(r *room) {
		r.speak(time.Second)
		r.awaitLine(400 * time.Millisecond)
		r.speak(time.Second)
		r.quiet(2 * time.Second)
	})
	// Greeting, silence, line, wait, reply, silence.
	if want := time.Second + replyEnd + time.Second + 400*time.Millisecond + time.Second + replyEnd; took < want-80*time.Millisecond || took > want+80*time.Millisecond {
		t.Errorf("hung up after %v, want %v", took, want)
	}
	near(t, "reply", measured(c).Turns[0].VoiceToVoiceMS, 400*time.Millisecond)
}

func TestAgentSaysNothing(t *testing.T) {
	c, r, took := talk(t, words(t, "one", "two"), Options{}, func(r *room) {
		r.quiet(2 * time.Minute)
	})
	if len(r.spoken) != 100 {
		t.Errorf("%d frames of speech were sent, want both lines", len(r.spoken))
	}
	for i, turn := range measured(c).Turns {
		if turn.VoiceToVoiceMS != nil {
			t.Errorf("turn %d has a reply after %v ms", i+1, *turn.VoiceToVoiceMS)
		}
	}
	if limit := greetingWait + 2*(time.Second+replyWait) + goodbyeWait; took > limit+time.Second {
		t.Errorf("gave up after %v, want at most %v", took, limit)
	}
}

// A reply goes on, and a late one still comes, while the agent is thinking, as when a tool takes long.
func TestSlowTool(t *testing.T) {
	state := func(r *room, s string) { r.events <- media.Event{Kind: media.PeerState, State: s} }
	c, r, _ := talk(t, words(t, "one", "two", "three"), Options{}, func(r *room) {
		r.speak(time.Second)
		r.awaitLine(300 * time.Millisecond)
		state(r, thinking)
		r.speak(time.Second) // one moment, please
		r.quiet(20 * time.Second)
		state(r, "speaking")
		r.speak(time.Second)
		state(r, "listening")
		r.awaitLine(100 * time.Millisecond)
		state(r, thinking)
		r.quiet(40 * time.Second)
		r.speak(time.Second)
		state(r, "listening")
		r.awaitLine(100 * time.Millisecond)
		r.close()
	})
	turns := measured(c).Turns
	if len(turns) != 3 {
		t.Fatalf("turns: %+v", turns)
	}
	near(t, "first reply", turns[0].VoiceToVoiceMS, 300*time.Millisecond)
	near(t, "second reply", turns[1].VoiceToVoiceMS, 40*time.Second+100*time.Millisecond)
	if between := r.spoken[50].Sub(r.spoken[49]); between < 22*time.Second {
		t.Errorf("the second line came %v after the first", between)
	}
}

func TestClickIsNoReply(t *testing.T) {
	c, _, _ := talk(t, words(t, "one"), Options{}, func(r *room) {
		r.speak(time.Second)
		r.awaitLine(200 * time.Millisecond)
		r.speak(40 * time.Millisecond)
		r.quiet(500 * time.Millisecond)
		r.speak(time.Second)
		r.close()
	})
	near(t, "reply", measured(c).Turns[0].VoiceToVoiceMS, 740*time.Millisecond)
}

func TestInterruption(t *testing.T) {
	var replied time.Time
	c, r, _ := talk(t, words(t, "one", "two"), Options{InterruptAfter: 800 * time.Millisecond}, func(r *room) {
		r.speak(time.Second)
		r.awaitLine(400 * time.Millisecond)
		replied = time.Now()
		for n := 50; n == 50; n, _ = r.said() { // on and on, until the second line
			r.speak(dialogue.FrameDuration)
		}
		r.speak(240 * time.Millisecond)
		// The participant notices the missing packets, and fades out.
		time.Sleep(40 * time.Millisecond)
		for range 3 {
			r.hand(audio.Tone(440, dialogue.ListenRate, dialogue.FrameDuration))
		}
		r.quiet(dialogue.FrameDuration)
		r.quiet(900 * time.Millisecond)
		r.speak(time.Second)
		r.close()
	})
	if after := r.spoken[50].Sub(replied); after < 800*time.Millisecond || after > 840*time.Millisecond {
		t.Errorf("interrupted %v after the reply began, want 800 ms", after)
	}
	if got := measured(c).InterruptionMS; got == nil || *got < 220 || *got > 340 {
		t.Errorf("silent after %v ms, want 240 to 340", deref(got))
	}
	if got := measured(c).Turns[1].VoiceToVoiceMS; got == nil || *got < 100 {
		t.Errorf("the interrupting line was answered after %v ms", deref(got))
	}
}

func TestAnotherAgentTakesOver(t *testing.T) {
	c, _, _ := talk(t, words(t, "one"), Options{}, func(r *room) {
		r.speak(500 * time.Millisecond)
		r.events <- media.Event{Kind: media.PeerLeft} // without a goodbye
		r.quiet(500 * time.Millisecond)
		r.events <- media.Event{Kind: media.PeerAudio}
		r.awaitLine(200 * time.Millisecond)
		r.speak(500 * time.Millisecond)
		r.events <- media.Event{Kind: media.PeerLeft, HungUp: true}
	})
	near(t, "reply", measured(c).Turns[0].VoiceToVoiceMS, 200*time.Millisecond)
}

func TestContextHangsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		r := &room{frames: make(chan []int16), events: make(chan media.Event)}
		if err := newConversation(r, nil, Options{}).run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
		if len(r.played) != 151 {
			t.Errorf("%d frames in 3 s, want 151", len(r.played))
		}
	})
}

func TestTrackTime(t *testing.T) {
	answered := time.Now()
	seen := answered.Add(200 * time.Millisecond)
	tests := []struct {
		name      string
		published time.Time
		want      float64
	}{
		{"by the server's clock", answered.Add(12 * time.Millisecond), 12},
		{"before the answer", answered.Add(-5 * time.Millisecond), 0},
		{"server's clock ahead", answered.Add(time.Hour), 200},
		{"unknown", time.UnixMicro(0), 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &conversation{audioAt: seen, audio: media.Event{Published: test.published}}
			r := &Result{}
			r.setMeasurements(c, answered)
			if r.DispatchToTrackMS == nil || *r.DispatchToTrackMS != test.want {
				t.Errorf("%v ms, want %v", deref(r.DispatchToTrackMS), test.want)
			}
		})
	}
}
