package voice

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeRecording records what is kept and silenced, in seconds since its beginning.
type fakeRecording struct {
	begun, from time.Time
	log         []string
}

func (r *fakeRecording) Await(from time.Time) { r.from = from }

func (r *fakeRecording) Settle(silenced bool, until time.Time) {
	what := "kept"
	if silenced {
		what = "silent"
	}
	r.log = append(r.log, fmt.Sprintf("%s %.0f–%.0f", what, r.from.Sub(r.begun).Seconds(), until.Sub(r.begun).Seconds()))
}

// The caller's utterance is silenced if a value is in its words, or in them and those before; noise and other words stay.
func TestRecordingIsSilenced(t *testing.T) {
	var r *fakeRecording
	begin := func(s *scenario) {
		r = &fakeRecording{begun: time.Now()}
		s.options.Recording = r
		c := s.options.Plan.Agents["anna"]
		c.Redaction.Recordings = true
		s.options.Plan.Agents["anna"] = c
	}
	perform(t, begin, func(s *scenario) {
		s.question("when do you open")
		s.wait(3 * time.Second)
		s.say("it is 030 1234567", 2*time.Second)
		s.wait(6 * time.Second)
		s.say("", time.Second) // noise
		s.wait(4 * time.Second)
		s.say("my card is 5555 5555", time.Second)
		s.wait(4 * time.Second)
		s.say("5555 4444", time.Second)
		s.wait(4 * time.Second)
		s.say("and the last", 2*time.Second)
		s.wait(time.Second) // hangs up
	}, func(s *scenario) {
		want := []string{"kept 2–4", "silent 6–9", "kept 12–13", "kept 16–18", "silent 20–22", "silent 24–25"}
		if diff := cmp.Diff(want, r.log); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
	})
}
