package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/internal/audio"
	"parley/internal/dialogue"
)

// A phone puts the call on hold and resumes it: the call says so, its webhook and its recording have it. Keys that are pressed are
// marked in the transcript and are in no log. Call, timeline and metrics have the quality of the audio.
func TestPhoneOnHold(t *testing.T) {
	t.Parallel()
	defer acquireLine()()
	phone := newSoftphone(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), trunk(phone.address))
	ask(t, s, http.MethodPut, "/api/v1/agents/demo", object{"config": object{"recording": true}}, nil)
	w := receive(t)
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: w.URL})
	if err != nil {
		t.Fatal(err)
	}
	w.use(hook.Secret)
	id := ring(t, s, softphoneNumber)
	awaitStatus(t, s, id, client.Active)
	entries(t, s, id, 1) // the greeting
	held := func(want bool) {
		t.Helper()
		await(t, "the call is on hold, or not any more", func() bool {
			c, err := s.API.Calls.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return c.Held == want && c.Status == client.Active
		})
	}
	phone.command(t, "hold", "")
	held(true)
	if active, err := s.API.Calls.ListActive(t.Context(), client.ActiveCallQuery{Limit: 10}); err != nil || len(active) != 1 || !active[0].Held {
		t.Errorf("active calls %+v, %v", active, err)
	}
	const onHold = 6 * time.Second
	time.Sleep(onHold) // the time of the hold in the recording
	phone.command(t, "resume", "")
	held(false)
	const keys = "80853917"
	for _, key := range strings.Split(keys+"#", "") {
		phone.command(t, "sndcode", key)
		time.Sleep(200 * time.Millisecond) // a key takes its time
	}
	var entry client.TranscriptEntry
	await(t, "the keys are in the transcript", func() bool {
		said, err := s.API.Calls.Transcript(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(said, func(e client.TranscriptEntry) bool { return e.DTMF })
		if at >= 0 {
			entry = said[at]
		}
		return at >= 0
	})
	if entry.Content != keys || entry.Role != "user" {
		t.Errorf("entry %+v", entry)
	}
	phone.hangUp(t)
	c := awaitEnd(t, s, id, client.Completed, "caller_hangup")
	if q := c.Quality; c.Held || q == nil || q.Codec != "PCMU" || q.Received.Packets < 100 || q.Received.Lost == nil || q.Received.MOS == nil || *q.Received.MOS < 3 || q.Sent.Packets < 50 {
		encoded, _ := json.Marshal(c)
		t.Errorf("ended as %s", encoded)
	}
	moments, err := s.API.Calls.Timeline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, m := range moments {
		if m.Type == client.MomentCallHeld || m.Type == client.MomentCallResumed || m.Type == client.MomentQuality {
			seen = append(seen, m.Type)
		}
	}
	slices.Sort(seen)
	if want := []string{client.MomentCallHeld, client.MomentCallResumed, client.MomentQuality}; !slices.Equal(seen, want) {
		t.Errorf("timeline %q, want %q", seen, want)
	}
	if text := metrics(t, s); !strings.Contains(text, `sip_mos_count{direction="received"} 1`) {
		t.Error("/metrics has no quality of a call")
	}
	for _, kind := range []string{client.CallHeld, client.CallResumed, client.CallCompleted} {
		w.delivered(t, id, kind)
	}
	if log := s.Log.String() + s.Out.String(); strings.Contains(log, keys) {
		t.Error("the log has the keys")
	}
	var sound []byte
	await(t, "the recording is there", func() bool {
		answer, err := s.API.Calls.Recording(t.Context(), id)
		sound = answer
		return err == nil
	})
	for side, pcm := range func() [][]int16 { l, r := sides(t, sound); return [][]int16{l, r} }() {
		length := audio.Duration(len(pcm), dialogue.ListenRate)
		if whole := time.Duration(c.DurationSeconds) * time.Second; (length-whole).Abs() > 3*time.Second || length < onHold {
			t.Errorf("channel %d of the recording has %v of a call of %v", side, length, whole)
		}
	}
}
