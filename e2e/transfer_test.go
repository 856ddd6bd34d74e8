package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
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

// Tones that caller and person send, and the one that neither does.
const callerTone, personTone = 620.0, 880.0

// desk is an agent that hands a caller over to a number when they write "person".
func desk(t *testing.T, s *binary.Server, name string, action object) {
	t.Helper()
	action["type"] = "transfer_call"
	action["message"] = "I connect you."
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": name, "config": object{"actions": []object{action}}}, nil)
	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "`+name+`", "config": {`+offlineSpeech+`, "tools": ["`+name+`"], "prompt": {
		"greeting": "Hello.", "system": "- person => One moment. [`+name+` {}]\n- hello => Hello again."}}}`), nil)
}

// listeningCaller is a caller in the browser who sends a tone, and notes when they have heard the person's.
type listeningCaller struct {
	*media.Participant
	id    string
	mu    sync.Mutex
	frame []int16
	heard map[float64]time.Time // when a tone was heard first
	sound time.Duration         // of anything but the agent's silence
}

// newListeningCaller is a listening caller who asks for a person.
func newListeningCaller(t *testing.T, s *binary.Server, agent string) *listeningCaller {
	t.Helper()
	c := joinListening(t, s, agent)
	if err := c.SendText(media.TopicChat, "person"); err != nil {
		t.Fatal(err)
	}
	return c
}

// joinListening is a listening caller who has been greeted.
func joinListening(t *testing.T, s *binary.Server, agent string) *listeningCaller {
	t.Helper()
	d := beginWith(t, s, agent)
	c := &listeningCaller{id: d.CallID, heard: map[float64]time.Time{}}
	var err error
	if c.Participant, err = joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, Data: true, OnFrame: c.hear}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Leave)
	entries(t, s, c.id, 1) // the greeting
	return c
}

func (c *listeningCaller) hear(pcm []int16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if audio.Level(pcm) > -50 {
		c.sound += 20 * time.Millisecond
	}
	if c.frame = append(c.frame, pcm...); len(c.frame) >= dialogue.ListenRate/25 {
		if audio.Level(c.frame) > -40 && audio.Power(c.frame, personTone, dialogue.ListenRate) > 0.8 && c.heard[personTone].IsZero() {
			c.heard[personTone] = time.Now()
		}
		c.frame = c.frame[:0]
	}
}

func (c *listeningCaller) hearsPerson() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard[personTone]
}

// transferSteps are the steps of a call's transfers in its timeline.
func transferSteps(t *testing.T, s *binary.Server, id string) (steps []string) {
	t.Helper()
	moments, err := s.API.Calls.Timeline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		if m.Type == client.MomentTransfer {
			steps = append(steps, strings.TrimSpace(m.Phase+" "+m.Reason))
		}
	}
	return steps
}

func awaitSteps(t *testing.T, s *binary.Server, id string, want ...string) {
	t.Helper()
	var got []string
	await(t, "the transfer is "+strings.Join(want, ", "), func() bool {
		got = transferSteps(t, s, id)
		return len(got) >= len(want)
	})
	if !slices.Equal(got, want) {
		t.Errorf("the transfer is %q, want %q", got, want)
	}
}

// A caller in the browser is connected with a person on a phone: both hear each other, and either hang-up ends the call for both.
func TestTransferToAPerson(t *testing.T) {
	t.Parallel()
	phone := newSoftphone(t)
	tone := phone.line(t, slices.Repeat(audio.Tone(personTone, dialogue.ListenRate, time.Second), 60))
	settings := trunk(phone.address)
	maps.Copy(settings, map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true"})
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	desk(t, s, "bridge", object{"mode": "bridge", "to": []string{softphoneNumber}, "ring_seconds": 20})
	for n, name := range []string{"the person hangs up", "the caller hangs up"} {
		t.Run(name, func(t *testing.T) {
			caller := newListeningCaller(t, s, "bridge")
			microphone := callers.NewMicrophone(caller.Participant)
			awaitSteps(t, s, caller.id, "started", "answered", "completed")
			if caller.sound < time.Second {
				t.Errorf("on hold the caller heard %v of sound", caller.sound)
			}
			microphone.Play(slices.Repeat(audio.Tone(callerTone, dialogue.SpeakRate, time.Second), 20))
			phone.command(t, "ausrc", "aufile,"+tone)
			await(t, "the caller hears the person", func() bool { return !caller.hearsPerson().IsZero() })
			if n == 0 {
				await(t, "the person hears the caller", func() bool {
					pcm := phone.receiving(t)
					const window = softphoneRate / 2
					return len(pcm) > window && audio.Power(pcm[len(pcm)-window:], callerTone, softphoneRate) > 0.8
				})
			}
			ended := time.Now()
			want := "transferred"
			if n == 0 {
				phone.hangUp(t)
			} else {
				want = "caller_hangup"
				caller.Leave()
			}
			c := awaitEnd(t, s, caller.id, client.Completed, want)
			phone.awaitEnd(t)
			checkPersonsBill(t, c)
			if took := time.Since(ended); took > 2*time.Second {
				t.Errorf("the other side was hung up after %v", took)
			}
		})
	}
}

// checkPersonsBill checks that the time of the person's phone is in the cost of a call whose caller has none.
func checkPersonsBill(t *testing.T, c *client.Call) {
	t.Helper()
	for _, item := range c.Cost.Items {
		if item.Kind == "trunk" {
			seconds, err := strconv.ParseFloat(item.Quantity, 64)
			if err != nil || item.Provider != "platform" || item.Model != "outbound" || item.Unit != "seconds" || seconds < 1 || seconds > float64(c.DurationSeconds+1) {
				t.Errorf("the person's phone is billed as %+v, in a call of %d s", item, c.DurationSeconds)
			}
			return
		}
	}
	t.Errorf("the person's phone is not in the call's cost: %+v", c.Cost.Items)
}

// A person who is not reached: the agent has the reason, and goes on with the caller, or another agent does that is the next target. A caller
// who hangs up while the phone rings ends the ringing.
func TestTransferThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	settings := trunk(network.address)
	settings["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	desk(t, s, "nobody", object{"mode": "bridge", "to": []string{busyNumber, declinedNumber, ringsNumber}, "ring_seconds": 5})
	desk(t, s, "rings", object{"mode": "bridge", "phone_number": ringsNumber})

	caller := newListeningCaller(t, s, "nobody")
	go callers.StayQuiet(caller.Participant)
	awaitSteps(t, s, caller.id, "started", "failed busy", "started", "failed declined", "started", "failed no_answer")
	said := entries(t, s, caller.id, 5)
	if last := said[len(said)-1]; last.Role != "assistant" {
		t.Errorf("the agent does not go on: %+v", said)
	}
	caller.Leave()
	awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")

	caller = newListeningCaller(t, s, "rings")
	go callers.StayQuiet(caller.Participant)
	awaitSteps(t, s, caller.id, "started")
	before := strings.Count(strings.Join(network.lines(t), " "), "CANCEL")
	await(t, "the phone rings", func() bool { return strings.Count(strings.Join(network.lines(t), " "), "INVITE·000") > 1 })
	caller.Leave()
	await(t, "it rings no longer", func() bool { return strings.Count(strings.Join(network.lines(t), " "), "CANCEL") > before })
	awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
	awaitSteps(t, s, caller.id, "started", "failed caller_left")

	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "night-desk", "config": {`+offlineSpeech+`, "prompt": {"greeting": "This is the night desk.", "system": "- hello => Hello."}}}`), nil)
	desk(t, s, "night", object{"mode": "consult", "to": []string{busyNumber, "agent:night-desk"}})
	caller = newListeningCaller(t, s, "night")
	go callers.StayQuiet(caller.Participant)
	awaitSteps(t, s, caller.id, "started", "failed busy", "started", "completed")
	said = entries(t, s, caller.id, 5)
	if last := said[len(said)-1]; last.Content != "This is the night desk." || last.AgentName != "night-desk" {
		t.Errorf("the other agent does not go on: %+v", said)
	}
	caller.Leave()
	awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
}

// A person who is briefed alone presses 1, and is connected at once; one who presses 2 is not, and the agent goes on.
func TestConsultationByKeys(t *testing.T) {
	t.Parallel()
	phone := newSoftphone(t)
	tone := phone.line(t, slices.Repeat(audio.Tone(personTone, dialogue.ListenRate, time.Second), 60))
	settings := trunk(phone.address)
	settings["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	desk(t, s, "consult", object{"mode": "consult", "to": []string{softphoneNumber}, "summary": "Ada wants to book a table.", "headers": object{"X-Order": "{{call.id}}"}})
	for n, key := range []string{"1", "2"} {
		t.Run("key "+key, func(t *testing.T) {
			caller := newListeningCaller(t, s, "consult")
			microphone := callers.NewMicrophone(caller.Participant)
			awaitSteps(t, s, caller.id, "started", "answered")
			awaitSummary(t, s, caller.id)
			phone.command(t, "ausrc", "aufile,"+tone)
			microphone.Play(slices.Repeat(audio.Tone(callerTone, dialogue.SpeakRate, time.Second), 20))
			time.Sleep(time.Second) // the tones are on their way to nobody but the agent
			if at := caller.hearsPerson(); !at.IsZero() || n == 0 && phone.hears(t, callerTone) {
				t.Error("caller and person hear each other before they are connected")
			}
			before := len(entries(t, s, caller.id, 1))
			pressed := time.Now()
			phone.command(t, "sndcode", key)
			if key == "2" {
				awaitSteps(t, s, caller.id, "started", "answered", "failed declined")
				phone.awaitEnd(t)
				entries(t, s, caller.id, before+1) // the agent goes on
				caller.Leave()
				awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
				return
			}
			await(t, "the person hears the caller", func() bool { return phone.hears(t, callerTone) })
			personHears := time.Since(pressed)
			await(t, "the caller hears the person", func() bool { return !caller.hearsPerson().IsZero() })
			callerHears := caller.hearsPerson().Sub(pressed)
			t.Logf("from the key to the person's tone at the caller: %v, to the caller's at the person: %v", callerHears.Round(time.Millisecond), personHears.Round(time.Millisecond))
			if took := max(callerHears, personHears); took > time.Second {
				t.Errorf("they were connected after %v", took)
			}
			phone.hangUp(t)
			awaitEnd(t, s, caller.id, client.Completed, "transferred")
			phone.awaitEnd(t)
		})
	}
}

// awaitSummary waits until the person has heard something of the summary, which the transcript shows when it has been spoken.
func awaitSummary(t *testing.T, s *binary.Server, id string) {
	t.Helper()
	await(t, "the summary is spoken", func() bool {
		said, err := s.API.Calls.Transcript(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(said, func(e client.TranscriptEntry) bool { return strings.Contains(e.Content, "book a table") })
	})
}

// The worker of a call is lost in a transfer, at whatever moment: the caller is with an agent again, the person's phone rings no longer or is hung
// up, and was dialled once.
func TestWorkerLostInTransfer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode string
		rung bool // the phone is not answered
		when []string
	}{
		"dialling":  {"bridge", true, []string{"started"}},
		"briefing":  {"consult", false, []string{"started", "answered"}},
		"connected": {"bridge", false, []string{"started", "answered", "completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var phone *softphone
			var network *carrier
			address, number := "", softphoneNumber
			if c.rung {
				network = newCarrier(t)
				address, number = network.address, ringsNumber
			} else {
				phone = newSoftphone(t)
				address = phone.address
			}
			settings := trunk(address, "PARLEY_ALLOW_PRIVATE_NETWORKS", "true")
			s, env := apartAt(t, settings)
			maps.Copy(env, settings)
			first := worker(t, env)
			action := object{"mode": c.mode, "to": []string{number}, "ring_seconds": 120}
			if c.mode == "consult" {
				action["summary"], action["accept_seconds"] = "Ada wants to book a table.", 120
			}
			desk(t, s, "desk", action)
			caller := newListeningCaller(t, s, "desk")
			go callers.StayQuiet(caller.Participant)
			awaitSteps(t, s, caller.id, c.when...)
			switch name {
			case "dialling":
				network.awaitRequest(t, "INVITE", ringsNumber)
			case "briefing":
				awaitSummary(t, s, caller.id)
			}
			said := len(entries(t, s, caller.id, 1))
			worker(t, env)
			first.Kill()
			killed := time.Now()
			entries(t, s, caller.id, said+1)
			took := time.Since(killed)
			t.Logf("an agent has spoken %v after the worker was killed", took.Round(time.Millisecond))
			if took > 15*time.Second {
				t.Error("the caller was alone for longer than 15 s")
			}
			if c.rung {
				network.awaitRequest(t, "CANCEL", ringsNumber)
				if n := strings.Count(strings.Join(network.lines(t), " "), "INVITE"); n != 1 {
					t.Errorf("the person was dialled %d times", n)
				}
			} else {
				phone.awaitEnd(t)
				if n := strings.Count(phone.Out.String()+phone.Log.String(), "Incoming call"); n > 1 {
					t.Errorf("the person was dialled %d times", n)
				}
			}
			caller.Leave()
			awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
		})
	}
}

// Many callers at once are transferred to numbers that fail, ring, or are given up by the caller at any moment: each is with the agent again
// or has left, and no phone rings on.
func TestTransfersThatFailAtOnce(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	settings := trunk(network.address)
	settings["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	for name, to := range map[string][]string{
		"first": {busyNumber, ringsNumber}, "second": {ringsNumber, overloadNumber}, "third": {declinedNumber, awayNumber, unknownNumber},
	} {
		desk(t, s, name, object{"mode": "announce", "summary": "Ada is calling.", "to": to, "ring_seconds": 5})
	}
	const rounds = 4
	var all []*listeningCaller
	for n := range 3 * rounds {
		caller := newListeningCaller(t, s, []string{"first", "second", "third"}[n%3])
		go callers.StayQuiet(caller.Participant)
		all = append(all, caller)
		if n%2 == 0 {
			time.AfterFunc(time.Duration(n)*500*time.Millisecond, caller.Leave)
		}
	}
	for n, caller := range all {
		if n%2 == 1 {
			awaitStepsEnd(t, s, caller.id, "failed")
			caller.Leave()
		}
		awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
	}
	await(t, "each phone that rang was given up", func() bool {
		lines := strings.Join(network.lines(t), " ")
		return strings.Count(lines, "INVITE·000") == strings.Count(lines, "CANCEL")
	})
	if log := s.Log.String(); strings.Contains(log, "panic") || strings.Contains(log, "49300000") {
		t.Errorf("the log has a panic or phone numbers:\n%s", log)
	}
}

// awaitStepsEnd waits until as many targets have failed as were dialled, the last one of all.
func awaitStepsEnd(t *testing.T, s *binary.Server, id, phase string) {
	t.Helper()
	await(t, "all targets have "+phase, func() bool {
		moments, err := s.API.Calls.Timeline(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(moments, func(m client.Moment) bool {
			return m.Type == client.MomentTransfer && m.Phase == phase && m.Attempt == m.Attempts
		})
	})
}

// A caller on the phone is connected with a person on another one, with an outside LiveKit.
func TestTransferOfAPhoneCaller(t *testing.T) {
	t.Parallel()
	caller, person := newSoftphone(t), newSoftphone(t)
	toPerson := caller.line(t, slices.Repeat(audio.Tone(callerTone, dialogue.ListenRate, time.Second), 60))
	toCaller := person.line(t, slices.Repeat(audio.Tone(personTone, dialogue.ListenRate, time.Second), 60))
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"LIVEKIT_URL": outside(t), "LIVEKIT_API_KEY": outsideKey, "LIVEKIT_API_SECRET": outsideSecret, "PARLEY_ALLOW_PRIVATE_NETWORKS": "true",
	}
	maps.Copy(env, ports)
	s := serve(t, filepath.Join(t.TempDir(), "data"), env)
	trunkID := softphoneTrunk(t, s, person.address)
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "connect", "config": object{"actions": []object{
		{"type": "transfer_call", "mode": "bridge", "to": []string{softphoneNumber}, "caller_id": "caller", "message": "I connect you."},
	}}}, nil)
	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "front", "config": {`+offlineSpeech+`, "tools": ["connect"], "prompt": {
		"greeting": "Hello.", "system": "- pressed keys => One moment. [connect {}]"}}}`), nil)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "agent_name": "front", "trunk_id": trunkID}, nil)
	id := callIn(t, s, caller, "+4930111111", ports["PARLEY_SIP_PORT"])
	awaitStatus(t, s, id, client.Active)
	entries(t, s, id, 1) // the greeting
	caller.command(t, "sndcode", "5")
	time.Sleep(200 * time.Millisecond)
	caller.command(t, "sndcode", "#")
	awaitSteps(t, s, id, "started", "answered", "completed")
	caller.command(t, "ausrc", "aufile,"+toPerson)
	person.command(t, "ausrc", "aufile,"+toCaller)
	for phone, tone := range map[*softphone]float64{caller: personTone, person: callerTone} {
		await(t, "caller and person hear each other", func() bool {
			pcm := phone.receiving(t)
			const window = softphoneRate / 2
			return len(pcm) > window && audio.Power(pcm[len(pcm)-window:], tone, softphoneRate) > 0.8
		})
	}
	caller.hangUp(t)
	person.awaitEnd(t)
	awaitEnd(t, s, id, client.Completed, "caller_hangup")
}

// The recording has a caller on hold, on the left, and the hold sound, on the right, between the positions in the timeline.
func TestRecordingOfACallerOnHold(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	settings := trunk(network.address)
	settings["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	desk(t, s, "nobody", object{"mode": "bridge", "to": []string{ringsNumber}, "ring_seconds": 5})
	ask(t, s, http.MethodPut, "/api/v1/agents/nobody", object{"config": object{"recording": true}}, nil)
	caller := newListeningCaller(t, s, "nobody")
	microphone := callers.NewMicrophone(caller.Participant)
	awaitSteps(t, s, caller.id, "started")
	microphone.Play(slices.Repeat(audio.Tone(callerTone, dialogue.SpeakRate, time.Second), 2))
	awaitSteps(t, s, caller.id, "started", "failed no_answer")
	entries(t, s, caller.id, 5)
	caller.Leave()
	awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
	moments, err := s.API.Calls.Timeline(t.Context(), caller.id)
	if err != nil {
		t.Fatal(err)
	}
	var held []int64 // ms
	for n, m := range moments {
		if m.Type == client.MomentTransfer && m.RecordingMS != nil {
			held = append(held, *m.RecordingMS)
		}
		if m.Type == client.MomentRecordingStarted && (m.RecordingMS == nil || *m.RecordingMS != 0) || n == 0 && m.RecordingMS != nil {
			t.Errorf("entry %d, %s, has the position %v", n, m.Type, m.RecordingMS)
		}
	}
	if len(held) != 2 || held[1]-held[0] < 4500 || held[1]-held[0] > 7000 {
		t.Fatalf("the caller was on hold at %v", held)
	}
	body, _ := fetch(t, s.URL+"/api/v1/calls/"+caller.id+"/recording", s.Key, "", http.StatusOK)
	left, right := sides(t, body)
	at := func(ms int64) int { return int(ms) * dialogue.ListenRate / 1000 }
	left, right = left[at(held[0]):at(held[1])], right[at(held[0]):at(held[1])]
	const frame = dialogue.ListenRate / 10
	var tone, sound int
	for n := 0; n+frame <= len(left); n += frame {
		if audio.Level(left[n:n+frame]) > -40 && audio.Power(left[n:n+frame], callerTone, dialogue.ListenRate) > 0.8 {
			tone++
		}
		if audio.Level(right[n:n+frame]) > -60 {
			sound++
		}
	}
	if tone < 17 || tone > 22 || sound < 35 {
		t.Errorf("of %d tenths of a second on hold, %d have the caller's tone of 2 s, and %d the hold sound", len(left)/frame, tone, sound)
	}
}
