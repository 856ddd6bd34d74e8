package e2e

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/audio"
	"parley/internal/database/databasetest"
	"parley/internal/media"
)

// apart is a server without a worker over PostgreSQL, and what workers beside it need.
func apart(t *testing.T) (*binary.Server, map[string]string) { return apartAt(t, nil) }

// apartAt is apart with ports of the server that the test knows, which workers do not use.
func apartAt(t *testing.T, ports map[string]string) (*binary.Server, map[string]string) {
	t.Helper()
	env := map[string]string{
		"DATABASE_URL": databasetest.PostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32),
		"PARLEY_DEMO": "true",
	}
	dir := filepath.Join(t.TempDir(), "data")
	settings := maps.Clone(env)
	maps.Copy(settings, ports)
	s := serve(t, dir, settings, "--without=worker")
	return s, beside(t, s, env)
}

// beside returns settings with the embedded media server of s, for other processes.
func beside(t *testing.T, s *binary.Server, settings map[string]string) map[string]string {
	t.Helper()
	secret, err := os.ReadFile(filepath.Join(s.Dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	settings = maps.Clone(settings)
	settings["LIVEKIT_URL"], settings["LIVEKIT_API_KEY"], settings["LIVEKIT_API_SECRET"] = "ws://127.0.0.1:"+s.RTCPort, "parley", strings.TrimSpace(string(secret))
	return settings
}

// worker starts a worker; it ends with the test unless it is killed before.
func worker(t *testing.T, env map[string]string) *binary.Process {
	t.Helper()
	settings := map[string]string{"PARLEY_DATA_DIR": filepath.Join(t.TempDir(), "worker")}
	for k, v := range env {
		settings[k] = v
	}
	w, err := launch(settings, "worker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Kill)
	return w
}

// A server without a worker and workers beside it, over PostgreSQL: calls wait for a worker and are spoken by it. When it
// dies its calls continue with another one, for callers who stay, and end for those who left.
func TestWorkerApart(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	env["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	env["PARLEY_SILENCE_TIMEOUT"] = "50m" // a caller is silent until another's call is understood, see undisturbed
	early := begin(t, s)
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Carrier", "address": "127.0.0.1:9", "transport": "tcp"}, nil)
	if c, err := s.API.Calls.Get(t.Context(), early.CallID); err != nil || c.Status != client.Pending {
		t.Errorf("without a worker the call is %+v, %v", c, err)
	}
	first := worker(t, env)
	stays, caller := silentWith(t, s, "demo")
	leaves, gone := silentWith(t, s, "demo")
	for _, d := range []*client.Dispatch{stays, leaves} {
		entries(t, s, d.CallID, 1)
	}
	first.Kill()
	killed := time.Now()
	gone.Leave()

	second := worker(t, env) // has new calls before the lease of the first one lapses
	r := converse(t, s, []string{"what is your address", "goodbye"}, []string{"main street", "goodbye"}, "--workflow", "demo")
	if r.Status != client.Completed {
		t.Errorf("status %q", r.Status)
	}
	// It dials through the server's gateway, whose trunk does not answer.
	dialled := ring(t, s, busyNumber)
	awaitEnd(t, s, dialled, client.Failed, "unreachable")
	if items := errorsOf(t, s, dialled); len(items) != 1 || !strings.Contains(items[0].Message, "trunk") {
		t.Errorf("error log: %+v", items)
	}

	awaitEnd(t, s, leaves.CallID, client.Disconnected, "worker_lost")
	said := entries(t, s, stays.CallID, 2)
	t.Logf("the call went on at most %v after the kill: %q", time.Since(killed), said[len(said)-1].Content)
	c, err := s.API.Calls.Get(t.Context(), stays.CallID)
	if err != nil || c.Status != client.Active || !slices.Equal(c.AgentHistory, []string{"demo"}) || c.CurrentAgent == nil || *c.CurrentAgent != "demo" {
		t.Errorf("taken over: %+v, %v", c, err)
	}
	caller.Leave()
	awaitEnd(t, s, stays.CallID, client.Completed, "caller_hangup")
	if err := second.Stop(); err != nil || t.Failed() {
		t.Errorf("the second worker: %v\n%s", err, second.Log.String())
	}
}

// One of two workers is killed during a conversation: the other takes the call over as soon as the first's connection to
// PostgreSQL has ended, before the lease expires. It is in timeline, metrics and log.
func TestWorkerKilledIsNoticedByItsConnection(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	env["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	env["PARLEY_WORKER_CAPACITY"] = "10"
	first := worker(t, env)
	d := beginWith(t, s, "demo")
	heard := make(chan struct{}, 1)
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, OnFrame: func(pcm []int16) {
		if slices.Max(pcm) > 1000 {
			select {
			case heard <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	go callers.StayQuiet(caller)
	awaitAgentAudio := func() { // that has come into the room, and not the one before it
		t.Helper()
		limit := time.After(time.Minute)
		for {
			select {
			case e := <-caller.Events():
				if e.Kind != media.PeerAudio {
					continue
				}
				select {
				case <-heard: // of the one before
				default:
				}
				select {
				case <-heard:
					return
				case <-limit:
				}
			case <-limit:
			}
			t.Fatal("the caller receives no audio of the agent")
		}
	}
	awaitAgentAudio()
	entries(t, s, d.CallID, 1)
	second := worker(t, env)
	awaitGauge(t, s, "worker_slots", 20)
	first.Kill()
	killed := time.Now()
	awaitAgentAudio()
	t.Logf("the caller receives the agent's audio again %v after its worker was killed", time.Since(killed).Round(10*time.Millisecond))
	moments, err := s.API.Calls.Timeline(t.Context(), d.CallID)
	if err != nil {
		t.Fatal(err)
	}
	var incidents []string
	for _, m := range moments {
		if m.Cause != "" {
			incidents = append(incidents, m.Type+" "+m.Cause)
		}
	}
	if want := []string{"worker_lost process_died", "taken_over process_died"}; !slices.Equal(incidents, want) {
		t.Errorf("the timeline has %q, want %q; the server's log:\n%s", incidents, want, s.Log.String())
	}
	if c, err := s.API.Calls.Get(t.Context(), d.CallID); err != nil || c.Status != client.Active {
		t.Errorf("taken over: %+v, %v", c, err)
	}
	if log := second.Log.String(); !strings.Contains(log, "taken_over") || !strings.Contains(log, d.CallID) {
		t.Errorf("the log of the worker that took over does not name call %s:\n%s", d.CallID, log)
	}
	caller.Leave()
	awaitEnd(t, s, d.CallID, client.Completed, "caller_hangup")
}

// A worker is killed while it speaks with a phone: the phone stays in its room, for the SIP gateway is the server's, and
// another worker speaks with it.
func TestPhoneCallIsTakenOver(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s, env := apartAt(t, ports)
	env["PARLEY_WORKER_CAPACITY"] = "10"
	first := worker(t, env)
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "workflow_slug": "demo", "trunk_id": trunk.ID}, nil)
	phone := newSoftphone(t)
	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	var listed *client.CallPage
	await(t, "the call is there", func() bool {
		if listed, err = s.API.Calls.List(t.Context(), client.CallQuery{}); err != nil {
			t.Fatal(err)
		}
		return len(listed.Items) > 0
	})
	id := listed.Items[0].ID
	entries(t, s, id, 1) // the greeting
	second := worker(t, env)
	awaitGauge(t, s, "worker_slots", 20)
	first.Kill()
	before := len(phone.receiving(t))
	entries(t, s, id, 2)
	silent := 0
	for pcm := phone.receiving(t)[before:]; ; silent, pcm = silent+1, pcm[softphoneRate/50:] {
		if len(pcm) < softphoneRate/50 {
			t.Fatal("the phone receives no audio of the agent")
		}
		if audio.Level(pcm[:softphoneRate/50]) > -40 {
			break
		}
	}
	t.Logf("the phone receives the agent's audio again %v after its worker was killed", time.Duration(silent)*20*time.Millisecond)
	if c, err := s.API.Calls.Get(t.Context(), id); err != nil || c.Status != client.Active {
		t.Errorf("taken over: %+v, %v; the second worker's log:\n%s", c, err, second.Log.String())
	}
	phone.hangUp(t)
	awaitEnd(t, s, id, client.Completed, "caller_hangup")
	phone.awaitEnd(t)
}
