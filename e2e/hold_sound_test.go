package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// holdTone is the frequency of the uploaded sound, in hertz.
const holdTone = 1000.0

// toneFile is a WAV file of a tone, in stereo at 44.1 kHz.
func toneFile(t *testing.T, frequency float64, lasts time.Duration) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := audio.WriteWAV(&file, audio.Tone(frequency, 44100, lasts), 44100); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// heardTone counts what a caller hears of holdTone, in pieces of 200 ms, and of other sound.
type heardTone struct {
	mu          sync.Mutex
	frame       []int16
	tone, other int
}

func (h *heardTone) hear(pcm []int16) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.frame = append(h.frame, pcm...); len(h.frame) < dialogue.ListenRate/5 {
		return
	}
	switch {
	case audio.Level(h.frame) < -45:
	case audio.Power(h.frame, holdTone, dialogue.ListenRate) > 0.9:
		h.tone++
	default:
		h.other++
	}
	h.frame = h.frame[:0]
}

func (h *heardTone) counts() (tone, other int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tone, h.other
}

// holdCaller is a caller in the browser who has been greeted.
func holdCaller(t *testing.T, s *binary.Server, agent string) (id string, p *media.Participant, heard *heardTone) {
	t.Helper()
	d := beginWith(t, s, agent)
	heard = new(heardTone)
	p, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, Data: true, OnFrame: heard.hear})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Leave)
	go callers.StayQuiet(p)
	entries(t, s, d.CallID, 1) // the greeting
	return d.CallID, p, heard
}

// A caller on hold hears the sound that was uploaded for the agent, of a tool's transfer and of a backend's; so does the recording.
func TestHoldSound(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	settings := trunk(network.address)
	settings["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	sh := newShell(t, s)
	if err := os.WriteFile(filepath.Join(sh.Dir, "waiting.wav"), toneFile(t, holdTone, 1500*time.Millisecond), 0o600); err != nil {
		t.Fatal(err)
	}
	sh.run(t, blocksOf(t, "docs/transfers.md", "sh")[0])
	made, err := s.API.Sounds.Get(t.Context(), "waiting")
	if err != nil || made.DurationMS != 1500 {
		t.Fatalf("%+v, %v", made, err)
	}
	desk(t, s, "desk", object{"mode": "bridge", "to": []string{ringsNumber}, "ring_seconds": 120})
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", json.RawMessage(`{"config": {"hold_sound": "waiting", "recording": true}}`), nil)
	for _, how := range []string{"tool", "control"} {
		id, caller, heard := holdCaller(t, s, "desk")
		if how == "tool" {
			err = caller.SendText(media.TopicChat, "person")
		} else {
			_, err = s.API.Controls.Transfer(t.Context(), id, client.CallTransfer{Mode: "bridge", To: []string{ringsNumber}, Message: "I connect you."})
		}
		if err != nil {
			t.Fatal(err)
		}
		awaitSteps(t, s, id, "started")
		_, before := heard.counts() // greeting and message
		await(t, "the caller hears the tone", func() bool { tone, _ := heard.counts(); return tone >= 15 })
		if _, after := heard.counts(); after-before > 3 {
			t.Errorf("%s: the caller hears %d pieces of other sound on hold", how, after-before)
		}
		caller.Leave()
		awaitEnd(t, s, id, client.Completed, "caller_hangup")
		var recording []byte
		await(t, "the recording is there", func() bool {
			recording, err = s.API.Calls.Recording(t.Context(), id)
			return err == nil
		})
		left, right := sides(t, recording)
		recorded := new(heardTone)
		recorded.hear(nil)
		for piece := range slices.Chunk(right, dialogue.ListenRate/5) {
			recorded.hear(piece)
		}
		if tone, _ := recorded.counts(); tone < 10 {
			t.Errorf("%s: the recording has %d pieces of the tone", how, tone)
		}
		if audio.Level(left) > -60 {
			t.Errorf("%s: the caller's side of the recording has %.0f dBFS", how, audio.Level(left))
		}
		if log := problems(t, s, id); len(log) > 0 {
			t.Errorf("%s: the error log has %q", how, log)
		}
	}
	err = s.API.Sounds.Delete(t.Context(), "waiting")
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != "conflict" || !strings.Contains(refused.Message, "demo, desk") {
		t.Errorf("deletion of a sound in use: %v", err)
	}
}

// A sound that is gone when a caller is put on hold: they hear the server's own, and the error log says so.
func TestHoldSoundIsGone(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	settings := trunk(network.address)
	settings["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	if _, err := s.API.Sounds.Create(t.Context(), toneFile(t, holdTone, time.Second), client.UploadOptions{Name: "waiting"}); err != nil {
		t.Fatal(err)
	}
	desk(t, s, "desk", object{"mode": "bridge", "to": []string{ringsNumber}, "ring_seconds": 120})
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", json.RawMessage(`{"config": {"hold_sound": "waiting"}}`), nil)
	id, caller, heard := holdCaller(t, s, "desk")
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", json.RawMessage(`{"config": {"hold_sound": null}}`), nil)
	if err := s.API.Sounds.Delete(t.Context(), "waiting"); err != nil {
		t.Fatal(err)
	}
	if err := caller.SendText(media.TopicChat, "person"); err != nil {
		t.Fatal(err)
	}
	awaitSteps(t, s, id, "started")
	_, before := heard.counts()
	await(t, "the caller hears the server's sound", func() bool { _, other := heard.counts(); return other-before >= 15 })
	if tone, _ := heard.counts(); tone > 0 {
		t.Errorf("%d pieces of the deleted sound", tone)
	}
	await(t, "the error log says so", func() bool {
		return slices.Contains(problems(t, s, id), "warning: there is no hold sound waiting any more: the sound of this server is played")
	})
	caller.Leave()
	awaitEnd(t, s, id, client.Completed, "caller_hangup")
}

// problems are the items of a call's error log.
func problems(t *testing.T, s *binary.Server, id string) (found []string) {
	t.Helper()
	log, err := s.API.Analytics.Errors(t.Context(), client.AnalyticErrorsQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Items {
		if e.CallID == id {
			found = append(found, e.Level+": "+e.Message)
		}
	}
	return found
}

// A caller on a phone hears the sound, through the codec of the telephone network.
func TestHoldSoundOnThePhone(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	network, phone := newCarrier(t), newSoftphone(t)
	ports["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	if _, err := s.API.Sounds.Create(t.Context(), toneFile(t, holdTone, 2*time.Second), client.UploadOptions{Name: "waiting"}); err != nil {
		t.Fatal(err)
	}
	ask(t, s, http.MethodPut, "/api/v1/agents/demo", json.RawMessage(`{"config": {"hold_sound": "waiting"}}`), nil)
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Carrier", "address": network.address, "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "agent_name": "demo", "trunk_id": trunk.ID}, nil)
	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	var id string
	await(t, "the call is there", func() bool {
		listed, err := s.API.Calls.List(t.Context(), client.CallQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if len(listed.Items) > 0 {
			id = listed.Items[0].ID
		}
		return id != ""
	})
	awaitStatus(t, s, id, client.Active)
	entries(t, s, id, 1) // the greeting
	if phone.hears(t, holdTone) {
		t.Error("the phone hears the tone before it is on hold")
	}
	if _, err := s.API.Controls.Transfer(t.Context(), id, client.CallTransfer{Mode: "bridge", To: []string{ringsNumber}}); err != nil {
		t.Fatal(err)
	}
	await(t, "the phone hears the tone", func() bool { return phone.hears(t, holdTone) })
	phone.hangUp(t)
	awaitEnd(t, s, id, client.Completed, "caller_hangup")
}
