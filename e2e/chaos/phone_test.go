package chaos

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/emulated"
	"parley/e2e/phones"
	sound "parley/internal/audio"
	"parley/internal/hearing/corpus"
)

const phoneNumber = "+4930555000"

// switchboard is a server whose phone number is answered by an agent with emulated providers. Calls are not limited.
type switchboard struct {
	*binary.Server
	sipPort int
}

func newSwitchboard(t *testing.T, env map[string]string) *switchboard {
	t.Helper()
	vendors, err := emulated.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := vendors.Stop(); err != nil {
			t.Error(err)
		}
	})
	x := &switchboard{}
	if x.sipPort, err = binary.FreePort(); err != nil {
		t.Fatal(err)
	}
	settings := maps.Clone(vendors.Settings)
	maps.Copy(settings, map[string]string{"PARLEY_SIP_PORT": strconv.Itoa(x.sipPort), "PARLEY_SIP_OPEN_NUMBERS": phoneNumber, "PARLEY_WORKER_CAPACITY": "200", "PARLEY_LOG_LEVEL": "warn",
		"PARLEY_SIP_CALLS_PER_NUMBER": "0", "PARLEY_SIP_CALLS_PER_TRUNK": "0", "PARLEY_SIP_CALLS_PER_TENANT": "0", "PARLEY_SIP_CALLS_PER_ADDRESS": "0",
		"PARLEY_SIP_NEW_CALLS_PER_NUMBER": "0", "PARLEY_SIP_NEW_CALLS_PER_TENANT": "0", "PARLEY_SIP_NEW_CALLS_PER_ADDRESS": "0"})
	maps.Copy(settings, env)
	if x.Server, err = binary.Start(program, filepath.Join(t.TempDir(), "data"), settings); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			log := x.Log.String()
			t.Logf("log of the server:\n%s", log[max(0, len(log)-8000):])
		}
	})
	if _, err := x.API.Agents.Create(t.Context(), emulated.Agent("desk")); err != nil {
		t.Fatal(err)
	}
	if err := phones.Assign(t.Context(), x.Server, phoneNumber, "desk"); err != nil {
		t.Fatal(err)
	}
	return x
}

// phones starts phones that call the number.
func (x *switchboard) phones(t *testing.T, dir string, script *phones.Script, o phones.Options) *binary.Process {
	t.Helper()
	o.SIPPort, o.Number = x.sipPort, phoneNumber
	p, err := phones.Start(dir, script, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// content waits until phones have ended, and fails unless the server kept to their script.
func content(t *testing.T, p *binary.Process, dir string) {
	t.Helper()
	if code, err := p.Wait(t.Context()); err != nil || code != 0 {
		out := p.Out.String()
		t.Errorf("sipp exits with %d, %v\n%s\n%s", code, err, phones.Errors(dir), out[max(0, len(out)-4000):])
	}
}

// longCall is how long the call of TestLongPhoneCall is at least: PARLEY_CHAOS_CALL, else 40 minutes at full size.
func longCall(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PARLEY_CHAOS_CALL")
	if text == "" {
		return time.Duration(size(45, 2400)) * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("PARLEY_CHAOS_CALL: %v", err)
	}
	return d
}

// A long call is put on hold four times between two refreshes of its session, each 90 s; another call's session is refreshed by the server.
// No request fails, no packet is missing in either direction, nothing is sent on hold, and the agent understands the caller at the end. Only at full size: its times need the processor.
func TestLongPhoneCall(t *testing.T) {
	if !full {
		return
	}
	t.Parallel()
	x := newSwitchboard(t, map[string]string{"PARLEY_SILENCE_TIMEOUT": "2h"}) // nobody speaks between the holds
	refresh := time.Duration(size(45, 90)) * time.Second
	const holdsEach, before, after = 4, 2 * time.Second, 20 * time.Second
	rounds := int((longCall(t) + refresh - 1) / refresh)
	holds := rounds * holdsEach
	audio, err := phones.NewAudio()
	if err != nil {
		t.Fatal(err)
	}
	defer audio.Close()
	script := new(phones.Script)
	script.Call("Supported: timer", fmt.Sprintf("Session-Expires: %.0f;refresher=uac", 2*refresh.Seconds())).Pause(before).Repeat(rounds, func() {
		script.Repeat(holdsEach, func() {
			script.Pause(refresh / holdsEach / 2).Reinvite(phones.SendOnly).Pause(refresh / holdsEach / 2).Reinvite(phones.SendRecv)
		}).Refresh(2 * refresh)
	}).Pause(after).HangUp()
	dir := t.TempDir()
	phone := x.phones(t, dir, script, phones.Options{Calls: 1, AtOnce: 1, Rate: 1, Ports: []int{audio.Port()}})

	passive := new(phones.Script)
	passive.Call("Supported: timer", "Allow: INVITE, ACK, BYE, CANCEL, UPDATE", fmt.Sprintf("Session-Expires: %.0f;refresher=uas", 2*refresh.Seconds())).
		Repeat(rounds, func() { passive.AwaitRefresh(refresh+20*time.Second, 2*refresh) }).Pause(time.Second).HangUp()
	passiveDir := t.TempDir()
	refreshed := x.phones(t, passiveDir, passive, phones.Options{Calls: 1, AtOnce: 1, Rate: 1})

	select {
	case <-time.After(before + time.Duration(rounds)*refresh):
	case <-phone.Ended():
		content(t, phone, dir)
		t.Fatal("the phone has ended before its time")
	}
	var call string
	await(t, time.Second, fmt.Sprintf("a call has been on hold %d times", holds), func() bool {
		call = x.callOf(t, holds)
		return call != ""
	})
	said := x.userTurns(t, call)
	resampler := sound.NewResampler(corpus.Rate, phones.Rate)
	line, err := corpus.Voice(corpus.Held, "en", 1, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	audio.Play(resampler.Flush(resampler.Process(line.PCM(), nil)))
	await(t, time.Second, "the agent understands the caller after the last hold", func() bool { return x.userTurns(t, call) > said })
	content(t, phone, dir)
	content(t, refreshed, passiveDir)

	var c *client.Call
	await(t, time.Second, "the call is over", func() bool {
		if c, err = x.API.Calls.Get(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		return c.Terminal()
	})
	ended(t, c, client.Completed, "caller_hangup")
	for _, other := range x.calls(t) {
		if other.ID != call {
			ended(t, reach(t, func() *client.Client { return x.API }, other.ID, client.Completed), client.Completed, "caller_hangup")
		}
	}
	q := c.Quality
	if q == nil || q.Received.Lost == nil {
		t.Fatalf("the call has no quality: %+v", q)
	}
	r := audio.Received()
	talked := x.talked(t, c).Seconds()
	t.Logf("%.0f s of talk, %d holds: %d packets of the agent came, %d are missing, %d were not sent, for the machine was late; %d packets of the phone came, %d are missing", talked, holds,
		r.Packets, r.Missing, r.Skipped, q.Received.Packets, *q.Received.Lost)
	if busy := r.Skipped > r.Packets/100; busy {
		t.Log("packets are not judged: this machine was too busy to send them in time, and to read them")
	} else if *q.Received.Lost > 0 || r.Missing > 0 {
		t.Errorf("missing packets: %d of the agent, %d of the phone", r.Missing, *q.Received.Lost)
	}
	edges := 25 * float64(holds) // events follow the phone's requests after up to half a second
	if got, want := float64(r.Packets+r.Skipped), 50*talked; got < 0.95*want-edges || got > 1.05*want+edges {
		t.Errorf("%.0f packets were due in %.0f s without hold", got, talked)
	}
}

// calls are those of the number.
func (x *switchboard) calls(t *testing.T) []client.ListedCall {
	t.Helper()
	listed, err := x.API.Calls.List(t.Context(), client.CallQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return listed.Items
}

// callOf returns the id of the call that has been on hold a number of times and was resumed; "" without one.
func (x *switchboard) callOf(t *testing.T, holds int) string {
	t.Helper()
	for _, c := range x.calls(t) {
		if held, resumed := x.holds(t, c.ID); len(held) == holds && len(resumed) == holds {
			return c.ID
		}
	}
	return ""
}

// holds returns when a call was put on hold and resumed.
func (x *switchboard) holds(t *testing.T, call string) (held, resumed []time.Time) {
	t.Helper()
	moments, err := x.API.Calls.Timeline(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		switch m.Type {
		case client.MomentCallHeld:
			held = append(held, m.Timestamp)
		case client.MomentCallResumed:
			resumed = append(resumed, m.Timestamp)
		}
	}
	return held, resumed
}

// talked is the time of a call that is over in which it was not on hold.
func (x *switchboard) talked(t *testing.T, c *client.Call) time.Duration {
	t.Helper()
	d := c.EndedAt.Sub(*c.StartedAt)
	held, resumed := x.holds(t, c.ID)
	for i := range held {
		d -= resumed[i].Sub(held[i])
	}
	return d
}

// userTurns is how many turns of the caller are in a transcript.
func (x *switchboard) userTurns(t *testing.T, call string) (n int) {
	t.Helper()
	entries, err := x.API.Calls.Transcript(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Role == "user" {
			n++
		}
	}
	return n
}
