package e2e

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// eavesdropper is somebody who listens to a call, and notes which tones they hear of whom.
type eavesdropper struct {
	mu    sync.Mutex
	heard map[string]bool // identity and tone
}

func listenTo(t *testing.T, access *client.RoomAccess) *eavesdropper {
	t.Helper()
	e := &eavesdropper{heard: map[string]bool{}}
	room, err := lksdk.ConnectToRoomWithToken(access.URL, access.Token, &lksdk.RoomCallback{ParticipantCallback: lksdk.ParticipantCallback{
		OnTrackSubscribed: func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, who *lksdk.RemoteParticipant) {
			go e.read(track, who.Identity())
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(room.Disconnect)
	return e
}

// read decodes a track until it ends.
func (e *eavesdropper) read(track *webrtc.TrackRemote, of string) {
	decoder, err := audio.NewDecoder(dialogue.ListenRate)
	if err != nil {
		return
	}
	const window = dialogue.ListenRate / 10
	var heard []int16
	pcm := make([]int16, dialogue.ListenRate)
	for {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		n, err := decoder.Decode(packet.Payload, pcm)
		if err != nil {
			continue
		}
		if heard = append(heard, pcm[:n]...); len(heard) < window {
			continue
		}
		for name, tone := range map[string]float64{"caller tone": callerTone, "person tone": personTone} {
			if audio.Level(heard) > -40 && audio.Power(heard, tone, dialogue.ListenRate) > 0.8 {
				e.mu.Lock()
				e.heard[strings.SplitN(of, "-", 2)[0]+": "+name] = true
				e.mu.Unlock()
			}
		}
		heard = heard[:0]
	}
}

func (e *eavesdropper) hears() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.heard))
}

// A person listens to a call, unseen; another takes it over, and leaves it to the agent again, which knows what the caller said meanwhile.
func TestCallIsTakenOver(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	desk(t, s, "desk", object{"mode": "bridge", "to": []string{softphoneNumber}})
	caller := joinListening(t, s, "desk")
	microphone := callers.NewMicrophone(caller.Participant)

	access, err := s.API.Controls.Listen(t.Context(), caller.id)
	if err != nil {
		t.Fatal(err)
	}
	ear := listenTo(t, access)
	if access, err = s.API.Controls.TakeOver(t.Context(), caller.id); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var callerHeard bool
	operator, err := joiner.Join(t.Context(), media.JoinOptions{URL: access.URL, Token: access.Token, OnFrame: func(pcm []int16) {
		mu.Lock()
		defer mu.Unlock()
		callerHeard = callerHeard || audio.Level(pcm) > -40 && audio.Power(pcm, callerTone, dialogue.ListenRate) > 0.8
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(operator.Leave)
	voice := callers.NewMicrophone(operator)
	awaitMoments(t, s, caller.id, "operator_joined")
	if err := caller.SendText(media.TopicChat, "hello"); err != nil {
		t.Fatal(err)
	}
	if said := entries(t, s, caller.id, 2); said[1].Content != "hello" || said[1].Role != "user" {
		t.Errorf("the transcript is %+v", said)
	}
	voice.Play(slices.Repeat(audio.Tone(personTone, dialogue.SpeakRate, time.Second), 5))
	await(t, "the caller hears the operator", func() bool { return !caller.hearsPerson().IsZero() })
	microphone.Play(slices.Repeat(audio.Tone(callerTone, dialogue.SpeakRate, time.Second), 1))
	await(t, "the operator hears the caller", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return callerHeard
	})
	want := []string{"agent: person tone", "caller: caller tone"}
	await(t, "the listener hears both", func() bool { return slices.Equal(ear.hears(), want) })
	if _, err := s.API.Controls.TakeOver(t.Context(), caller.id); err == nil || !strings.Contains(err.Error(), "a person has taken the call over") {
		t.Errorf("another take-over: %v", err)
	}

	left := time.Now()
	operator.Leave()
	await(t, "the agent goes on", func() bool {
		said, err := s.API.Calls.Transcript(t.Context(), caller.id)
		if err != nil {
			t.Fatal(err)
		}
		return said[len(said)-1].Role == "assistant"
	})
	t.Logf("the agent has spoken %v after the operator left", time.Since(left).Round(10*time.Millisecond))
	awaitMoments(t, s, caller.id, "operator_joined", "operator_left")
	caller.Leave()
	awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
	log, err := s.API.AuditLog.List(t.Context(), client.AuditLogListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"call.listen", "call.take_over"} {
		if !slices.ContainsFunc(log.Items, func(e client.AuditEntry) bool { return e.Action == action }) {
			t.Errorf("the audit log has no %s", action)
		}
	}
}

// awaitMoments waits until the timeline has these entries of operators.
func awaitMoments(t *testing.T, s *binary.Server, id string, want ...string) {
	t.Helper()
	await(t, strings.Join(want, ", "), func() bool {
		moments, err := s.API.Calls.Timeline(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range moments {
			if m.Type == client.MomentOperatorJoined || m.Type == client.MomentOperatorLeft {
				got = append(got, m.Type)
			}
		}
		return slices.Equal(got, want)
	})
}

// The worker is killed while an operator speaks with the caller, who is with an agent again.
func TestWorkerLostInTakeOver(t *testing.T) {
	t.Parallel()
	s, env := apartAt(t, nil)
	env["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	first := worker(t, env)
	desk(t, s, "desk", object{"mode": "bridge", "to": []string{softphoneNumber}})
	caller := joinListening(t, s, "desk")
	go callers.StayQuiet(caller.Participant)
	access, err := s.API.Controls.TakeOver(t.Context(), caller.id)
	if err != nil {
		t.Fatal(err)
	}
	joinSilently(t, access.URL, access.Token)
	awaitMoments(t, s, caller.id, "operator_joined")
	said := len(entries(t, s, caller.id, 1))
	worker(t, env)
	first.Kill()
	killed := time.Now()
	entries(t, s, caller.id, said+1)
	t.Logf("an agent spoke %v after the worker was killed", time.Since(killed).Round(time.Millisecond))
	caller.Leave()
	awaitEnd(t, s, caller.id, client.Completed, "caller_hangup")
}
