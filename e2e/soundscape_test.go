package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/callers"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// A caller hears the agent's ambience at its volume while nobody speaks, and under the agent's words, which they can interrupt; on hold they
// hear the hold sound alone. A sound in use is not deleted, and names of none are refused.
func TestAmbienceInACall(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	settings := trunk(network.address)
	settings["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	if _, err := s.API.Sounds.Create(t.Context(), toneFile(t, 440, 2*time.Second), client.UploadOptions{Name: "air"}); err != nil {
		t.Fatal(err)
	}
	desk(t, s, "desk", object{"mode": "bridge", "to": []string{ringsNumber}, "ring_seconds": 120})
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", json.RawMessage(`{"config": {"ambience": {"sound": "air", "volume_db": -15}}}`), nil)

	d := beginWith(t, s, "desk")
	defer acquireLine()()
	var mu sync.Mutex
	var heard []int16
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, Data: true, OnFrame: func(pcm []int16) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, pcm...)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	go callers.StayQuiet(caller)
	entries(t, s, d.CallID, 1) // the greeting
	last := func() []int16 {
		mu.Lock()
		defer mu.Unlock()
		return heard[max(0, len(heard)-dialogue.ListenRate):]
	}
	await(t, "the tone alone, at -41 dBFS", func() bool {
		pcm := last()
		level := audio.Level(pcm)
		return audio.Power(pcm, 440, dialogue.ListenRate) > 0.9 && level > -44 && level < -38
	})
	if err := caller.SendText(media.TopicChat, "person"); err != nil {
		t.Fatal(err)
	}
	awaitSteps(t, s, d.CallID, "started")
	await(t, "the hold sound without the tone", func() bool {
		pcm := last()
		return audio.Level(pcm) > -45 && audio.Power(pcm, 440, dialogue.ListenRate) < 0.2
	})
	caller.Leave()
	awaitEnd(t, s, d.CallID, client.Completed, "caller_hangup")
	if log := problems(t, s, d.CallID); len(log) > 0 {
		t.Errorf("the error log has %q", log)
	}

	err = s.API.Sounds.Delete(t.Context(), "air")
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != "conflict" || !strings.Contains(refused.Message, "desk") {
		t.Errorf("deleting the sound: %v", err)
	}
	for field, patch := range map[string]string{"config.ambience.sound": `"ambience": {"sound": "none"}`, "config.thinking_sound.sound": `"thinking_sound": {"sound": "none"}`, "config.hold_sound": `"hold_sound": "office"`} {
		var config map[string]any
		if err := json.Unmarshal([]byte(`{`+offlineSpeech+`, "prompt": {"system": "Be kind."}, `+patch+`}`), &config); err != nil {
			t.Fatal(err)
		}
		encoded, _ := json.Marshal(object{"agent_name": "desk", "config": config})
		response, answer := post(t, s, "/api/v1/calls/test-agent", string(encoded), "")
		if response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(answer), field) {
			t.Errorf("%s: %s %s", field, response.Status, answer)
		}
	}
}

// A caller hears the thinking sound while a tool works, and not after the answer.
func TestThinkingSoundInACall(t *testing.T) {
	t.Parallel()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(4 * time.Second):
		case <-r.Context().Done():
		}
		w.Write([]byte(`{"message":"We close at seven."}`))
	}))
	t.Cleanup(shop.Close)
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true"})
	if _, err := s.API.Sounds.Create(t.Context(), toneFile(t, holdTone, 2*time.Second), client.UploadOptions{Name: "keys"}); err != nil {
		t.Fatal(err)
	}
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "look_up", "config": object{"actions": []object{{"type": "api_call", "url": shop.URL, "timeout": 10}}}}, nil)
	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+offlineSpeech+`, "tools": ["look_up"], "thinking_sound": {"sound": "keys", "volume_db": -10, "after_ms": 300},
		"turn": {"filler_after_ms": 60000}, "prompt": {"greeting": "Hello.", "system": "- hours => [look_up]"}}}`), nil)
	id, caller, heard := holdCaller(t, s, "desk")
	if tone, _ := heard.counts(); tone > 0 {
		t.Errorf("%d pieces of the sound before the caller has said anything", tone)
	}
	if err := caller.SendText(media.TopicChat, "hours"); err != nil {
		t.Fatal(err)
	}
	entries(t, s, id, 4) // greeting, question, tool, answer
	tone, _ := heard.counts()
	if tone < 10 {
		t.Errorf("%d pieces of the sound while the tool works", tone)
	}
	time.Sleep(time.Second)
	if after, _ := heard.counts(); after > tone+1 {
		t.Errorf("%d pieces of the sound after the answer", after-tone)
	}
	caller.Leave()
	awaitEnd(t, s, id, client.Completed, "caller_hangup")
}

// The ambience that comes back from the caller's loudspeaker is no speech of theirs.
func TestEchoOfAmbience(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	for _, sound := range []string{"cafe", "office"} {
		ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "`+sound+`", "config": {`+offlineSpeech+`, "ambience": {"sound": "`+sound+`", "volume_db": -14},
			"prompt": {"greeting": "Good morning, this is the front desk of the city hospital.", "system": "- hello => Hello."}}}`), nil)
		undisturbed(t, func() string {
			defer acquireLine()()
			d := beginWith(t, s, sound)
			caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
			if err != nil {
				t.Fatal(err)
			}
			defer caller.Leave()
			go callers.Echo(caller, 150*time.Millisecond, 0.5)
			entries(t, s, d.CallID, 1)
			time.Sleep(8 * time.Second)
			caller.Leave()
			awaitEnd(t, s, d.CallID, client.Completed, "caller_hangup")
			said, err := s.API.Calls.Transcript(t.Context(), d.CallID)
			if err != nil {
				t.Fatal(err)
			}
			if len(said) != 1 || !strings.HasSuffix(said[0].Content, "city hospital.") {
				return fmt.Sprintf("%s: the transcript is %+v", sound, said)
			}
			return ""
		})
	}
}

// With ambience and a thinking sound, callers are understood, answered, and interrupt the agent as without them.
func TestInterruptionUnderAmbience(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	ask(t, s, http.MethodPut, "/api/v1/agents/demo", json.RawMessage(`{"config": {"ambience": {"sound": "cafe", "volume_db": -28}, "thinking_sound": {"sound": "keyboard", "volume_db": -28, "after_ms": 0}}}`), nil)
	r := converse(t, s, []string{hours, name}, nil, "--agent", "demo", "--hang-up", "--interrupt-after", "800ms")
	if r.InterruptionMS == nil {
		t.Error("the agent did not fall silent")
	}
	if len(r.Turns) != 2 || strings.Contains(r.Turns[0].Replied, "evening") || !strings.Contains(r.Turns[1].Replied, "demo assistant") {
		t.Errorf("turns: %+v", r.Turns)
	}
}
