package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
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
	"parley/internal/provider/emulator"
)

// The parties of a transfer, each of which may hang up.
const (
	callerHangsUp = "the caller hangs up" // on a phone
	personHangsUp = "the person hangs up"
	agentEnds     = "the call is ended by API"
)

// deskNumber is the number that callers on phones call.
const deskNumber = "+4930111111"

// The tones of the agent's voice: of what it says, and of what it says after a transfer that failed, in hertz.
const voiceTone, sorryTone = 1250.0, 1730.0

// transferMoment is a moment of a transfer at which a party hangs up.
type transferMoment struct {
	name   string
	action object // of the tool, without its targets; a text %s is that by which the agent is known
	answer string // how the person's phone answers: auto, early (183) or manual; "" for a network that says nothing for 3 s
	await  func(c *transferCase)
	// reason of the transfer if the person hangs up; "" if the call ends for both. No party is there to hang up while requested.
	reason string
}

var (
	ringing   = func(c *transferCase) { c.awaitEvent(c.arrival(), 1) }
	considers = object{"mode": "consult", "summary": "Summary of %s.", "accept_seconds": 60}
)

var transferMoments = []transferMoment{
	{name: "requested", action: object{"mode": "bridge"}, answer: "auto", await: func(c *transferCase) { c.awaitSpeech("I connect " + c.agent) }, reason: "-"},
	{name: "dialled", action: object{"mode": "bridge"}, await: func(c *transferCase) { c.awaitNetwork("INVITE") }, reason: "declined"},
	{name: "ringing", action: object{"mode": "bridge"}, answer: "manual", await: ringing, reason: "busy"},
	{name: "early media", action: object{"mode": "bridge"}, answer: "early", await: ringing, reason: "busy"},
	{name: "comforted", action: object{"mode": "bridge", "ring_seconds": 60}, answer: "manual", await: func(c *transferCase) {
		ringing(c)
		c.awaitSpeech("still trying")
	}, reason: "busy"},
	{name: "answered", action: considers, answer: "auto", await: func(c *transferCase) { c.awaitStep("answered") }, reason: "leg_lost"},
	{name: "summarized", action: object{"mode": "consult", "summary": "auto"}, answer: "auto", await: func(c *transferCase) {
		c.awaitStep("answered")
		time.Sleep(2500 * time.Millisecond) // a person who says nothing is known as one after 2 s
	}, reason: "leg_lost"},
	{name: "briefed", action: considers, answer: "auto", await: func(c *transferCase) { c.awaitSpeech("Summary of " + c.agent) }, reason: "leg_lost"},
	{name: "considering", action: considers, answer: "auto", await: func(c *transferCase) {
		c.awaitSpeech("Summary of " + c.agent)
		time.Sleep(speechLength + time.Second)
	}, reason: "leg_lost"},
	{name: "accepting", action: considers, answer: "auto", await: func(c *transferCase) {
		c.awaitSpeech("Summary of " + c.agent)
		c.person.command(c.t, "sndcode", "1")
	}, reason: "leg_lost"},
	{name: "connected", action: object{"mode": "bridge"}, answer: "auto", await: func(c *transferCase) { c.awaitStep("completed") }},
	{name: "second target", action: object{"mode": "bridge"}, answer: "manual", await: func(c *transferCase) {
		ringing(c)
		c.person.hangUp(c.t)
		c.awaitEvent(c.arrival(), 2)
	}, reason: "busy"},
}

// speechLength is how long the agent's voice says anything.
const speechLength = 3 * time.Second

// Whoever hangs up at whatever moment of a transfer: the caller is connected, with the agent again within 1.5 s, or has left; no phone rings
// on or stays connected, and each hang-up ends the other side within 1 s.
func TestEachPartyHangsUpAtEachMoment(t *testing.T) {
	t.Parallel()
	x := newTransferTable(t)
	for _, m := range transferMoments {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			f := x.newFixture(t, m)
			for _, party := range []string{callerHangsUp, personHangsUp, agentEnds} {
				if party == personHangsUp && m.reason == "-" {
					continue
				}
				t.Run(party, func(t *testing.T) {
					agent := f.newAgent(t, party)
					undisturbed(t, func() string {
						if err := f.hangUp(t, agent, party); err != nil {
							return err.Error()
						}
						return ""
					})
				})
			}
		})
	}
}

// transferTable is the emulated providers of the table.
type transferTable struct {
	settings map[string]string

	mu     sync.Mutex
	spoken []string // texts that the voice was asked for
}

func newTransferTable(t *testing.T) *transferTable {
	t.Helper()
	x := new(transferTable)
	options := func(vendor string) emulator.Options { return emulator.Options{Key: keyOf(vendor)} }
	recognizer := emulator.NewDeepgram(t, options("deepgram"), emulator.RecognizerScript{Lines: make([]string, 50), Endpointing: endpointing})
	t.Cleanup(recognizer.Close)
	model := emulator.NewOpenAI(t, options("openai"), emulator.Script{Answer: answerOfDesk})
	t.Cleanup(model.Close)
	voice := options("cartesia")
	voice.Speak = x.speak
	synthesizer := emulator.NewCartesia(t, voice)
	t.Cleanup(synthesizer.Close)
	x.settings = map[string]string{
		"DEEPGRAM_BASE_URL": recognizer.URL, "DEEPGRAM_API_KEY": keyOf("deepgram"), "OPENAI_BASE_URL": model.URL, "OPENAI_API_KEY": keyOf("openai"),
		"CARTESIA_BASE_URL": synthesizer.URL, "CARTESIA_API_KEY": keyOf("cartesia"), "PARLEY_ALLOW_PRIVATE_NETWORKS": "true", "PARLEY_SPEECH_CACHE_BYTES": "0",
	}
	return x
}

// answerOfDesk is what the model answers: it calls the tool, it writes a summary, for which it takes its time, and it is sorry.
func answerOfDesk(p dialogue.Prompt) emulator.Reply {
	last := p.Messages[len(p.Messages)-1].Content
	switch {
	case strings.Contains(p.System, "A colleague takes over"):
		time.Sleep(8 * time.Second)
		return emulator.Reply{Text: "Ada wants to book a table."}
	case strings.Contains(last, "The transfer has failed"):
		return emulator.Reply{Text: "Sorry."}
	case len(p.Tools) > 0 && (strings.Contains(last, "person") || strings.Contains(last, "pressed")):
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: p.Tools[0].Name, Arguments: json.RawMessage("{}")}}}
	}
	return emulator.Reply{Text: "All right."}
}

func (x *transferTable) speak(text string) []int16 {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.spoken = append(x.spoken, text)
	tone := voiceTone
	if strings.Contains(text, "Sorry") {
		tone = sorryTone
	}
	return audio.Tone(tone, dialogue.SpeakRate, speechLength)
}

// speeches returns how often the voice was asked for a text.
func (x *transferTable) speeches(text string) (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.spoken {
		if strings.Contains(s, text) {
			n++
		}
	}
	return n
}

// transferFixture is where the calls of a moment take place, one after the other: a server, and the phones of a caller and of a person.
type transferFixture struct {
	*transferTable
	*binary.Server
	sipPort        string
	moment         transferMoment
	caller, person *softphone
	late           *carrier // in place of the person's phone
	name, trunkID  string
}

func (x *transferTable) newFixture(t *testing.T, m transferMoment) *transferFixture {
	t.Helper()
	f := &transferFixture{transferTable: x, moment: m, name: strings.ReplaceAll(m.name, " ", "-"), caller: newSoftphone(t)}
	address := ""
	if m.answer == "" {
		log := filepath.Join(t.TempDir(), "late.log")
		f.late = &carrier{address: launchNetwork(t, "testdata/late.xml", "-trace_logs", "-log_file", log), log: log}
		address = f.late.address
	} else {
		f.person = startSoftphone(t, m.answer)
		address = f.person.address
	}
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(settings, x.settings)
	f.Server, f.sipPort = serve(t, filepath.Join(t.TempDir(), "data"), settings), settings["PARLEY_SIP_PORT"]
	f.trunkID = softphoneTrunk(t, f.Server, address)
	return f
}

// newAgent is an agent that transfers its callers, with a number of its own. It returns its name.
func (f *transferFixture) newAgent(t *testing.T, party string) string {
	t.Helper()
	name := f.name + "-" + map[string]string{callerHangsUp: "caller", personHangsUp: "person", agentEnds: "agent"}[party]
	to := []string{softphoneNumber}
	switch {
	case f.late != nil && party == personHangsUp:
		to = []string{"+493012345671"}
	case f.late != nil:
		to = []string{"+493012345670"}
	case f.moment.name == "second target":
		to = []string{softphoneNumber, softphoneNumber}
	}
	action := object{"type": "transfer_call", "message": "I connect " + name + ".", "to": to}
	maps.Copy(action, f.moment.action)
	if summary, given := action["summary"].(string); given {
		action["summary"] = strings.ReplaceAll(summary, "%s", name)
	}
	tool := strings.ReplaceAll(name, "-", "_")
	ask(t, f.Server, http.MethodPost, "/api/v1/tools", object{"name": tool, "config": object{"actions": []object{action}}}, nil)
	ask(t, f.Server, http.MethodPost, "/api/v1/agents", object{"name": name, "config": object{
		"prompt": object{"system": "You answer the phone.", "greeting": "Hello."}, "stt": choices["deepgram"], "llm": choices["openai"], "tts": choices["cartesia"],
		"tools": []string{tool},
	}}, nil)
	if party == callerHangsUp {
		ask(t, f.Server, http.MethodPost, "/api/v1/phone-numbers", object{"number": deskNumber, "agent_name": name, "trunk_id": f.trunkID}, nil)
	}
	return name
}

// arrival is the first event of a call at the person's phone.
func (f *transferFixture) arrival() string {
	if f.moment.answer == "early" {
		return "CALL_RTPESTAB"
	}
	return "CALL_INCOMING"
}

// transferCase is a call of the table.
type transferCase struct {
	*transferFixture
	t      *testing.T
	agent  string
	id     string
	said   map[string]int // how often the voice had been asked for a text before the call
	events map[string]int // that the person's phone had before the call
	lines  int            // of the late network before the call

	heard lastHearing // of a caller in the browser
}

// lastHearing is when a caller first heard that the agent is sorry.
type lastHearing struct {
	mu    sync.Mutex
	frame []int16
	sorry time.Time
}

func (h *lastHearing) hear(pcm []int16) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.frame = append(h.frame, pcm...); len(h.frame) < dialogue.ListenRate/25 {
		return
	}
	if h.sorry.IsZero() && audio.Level(h.frame) > -40 && audio.Power(h.frame, sorryTone, dialogue.ListenRate) > 0.8 {
		h.sorry = time.Now()
	}
	h.frame = h.frame[:0]
}

func (h *lastHearing) sorryAt() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sorry
}

// hangUp has a party hang up at the moment, and returns what went wrong.
func (f *transferFixture) hangUp(t *testing.T, agent, party string) error {
	defer acquireLine()()
	c := &transferCase{transferFixture: f, t: t, agent: agent, said: map[string]int{}, events: map[string]int{}}
	for _, text := range []string{"I connect " + agent, "still trying", "Summary of " + agent} {
		c.said[text] = f.speeches(text)
	}
	for _, kind := range []string{f.arrival(), "CALL_CLOSED"} {
		c.events[kind] = len(c.personEvents(kind))
	}
	if f.late != nil {
		c.lines = len(f.late.lines(t))
	}
	callersClosed := len(f.caller.eventTimes("CALL_CLOSED"))
	hangUp := c.begin(party)
	f.moment.await(c)
	if party == personHangsUp && f.late == nil {
		hangUp = func() { f.person.hangUp(t) }
	}
	at := time.Now()
	if hangUp != nil {
		hangUp()
	}
	want := map[string]string{callerHangsUp: "caller_hangup", personHangsUp: "transferred", agentEnds: "ended_by_api"}[party]
	var problem error
	if party == personHangsUp && f.moment.reason != "" && !c.isConnected() {
		problem = c.checkAgentGoesOn(at)
		want = "ended_by_api"
		c.end()
	}
	ended := awaitOver(t, f.Server, c.id)
	if ended.Status != client.Completed || reason(ended) != want {
		problem = errors.Join(problem, fmt.Errorf("ended as %s (%s), want %s", ended.Status, reason(ended), want))
	}
	problem = errors.Join(problem, c.checkPerson(at))
	if party == callerHangsUp {
		c.awaitClosed(f.caller, callersClosed+1)
	}
	return errors.Join(problem, c.checkSteps(party))
}

// begin begins a call and asks for a person. It returns what hangs up; nil if the late network does.
func (c *transferCase) begin(party string) (hangUp func()) {
	if party == callerHangsUp {
		c.callIn()
		return func() { c.caller.hangUp(c.t) }
	}
	d := beginWith(c.t, c.Server, c.agent)
	c.id = d.CallID
	caller, err := joiner.Join(c.t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, Data: true, OnFrame: c.heard.hear})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(caller.Leave)
	go callers.StayQuiet(caller)
	entries(c.t, c.Server, c.id, 1) // the greeting
	if err := caller.SendText(media.TopicChat, "person"); err != nil {
		c.t.Fatal(err)
	}
	if party == agentEnds {
		return c.end
	}
	return nil
}

// callIn has the caller's phone call the agent and press keys.
func (c *transferCase) callIn() {
	calls := func() []client.ListedCall {
		listed, err := c.API.Calls.List(c.t.Context(), client.CallQuery{AgentName: c.agent})
		if err != nil {
			c.t.Fatal(err)
		}
		return listed.Items
	}
	before := len(calls())
	c.caller.dial(c.t, deskNumber, c.sipPort)
	await(c.t, "the call is there", func() bool {
		listed := calls()
		if len(listed) > before {
			c.id = listed[0].ID
		}
		return c.id != ""
	})
	entries(c.t, c.Server, c.id, 1) // the greeting
	c.caller.command(c.t, "sndcode", "5")
	time.Sleep(200 * time.Millisecond)
	c.caller.command(c.t, "sndcode", "#")
}

func (c *transferCase) end() {
	if _, err := c.API.Calls.End(c.t.Context(), c.id); err != nil {
		c.t.Fatal(err)
	}
}

func (c *transferCase) awaitSpeech(text string) {
	await(c.t, "the agent says "+text, func() bool { return c.speeches(text) > c.said[text] })
	time.Sleep(300 * time.Millisecond) // it is heard
}

func (c *transferCase) awaitStep(phase string) {
	await(c.t, "the transfer is "+phase, func() bool { return slices.Contains(transferSteps(c.t, c.Server, c.id), phase) })
}

// awaitEvent waits until something has happened n times to the person's phone in this call.
func (c *transferCase) awaitEvent(kind string, n int) {
	await(c.t, fmt.Sprintf("the person's phone has %d times %s", n, kind), func() bool { return len(c.personEvents(kind))-c.events[kind] >= n })
}

func (c *transferCase) awaitNetwork(request string) {
	await(c.t, "the network receives "+request, func() bool {
		return strings.Contains(strings.Join(c.late.lines(c.t)[c.lines:], " "), request)
	})
}

func (c *transferCase) awaitClosed(phone *softphone, n int) {
	await(c.t, "the caller's phone is closed", func() bool { return len(phone.eventTimes("CALL_CLOSED")) >= n })
}

func (c *transferCase) personEvents(kind string) []time.Time {
	if c.person == nil {
		return nil
	}
	return c.person.eventTimes(kind)
}

// isConnected reports whether caller and person were connected, once the transfer has a result.
func (c *transferCase) isConnected() (connected bool) {
	await(c.t, "the transfer has a result", func() bool {
		steps := transferSteps(c.t, c.Server, c.id)
		connected = slices.Contains(steps, "completed")
		return connected || slices.Contains(steps, "failed "+c.moment.reason)
	})
	return connected
}

// checkAgentGoesOn waits until the caller hears the agent again.
func (c *transferCase) checkAgentGoesOn(since time.Time) error {
	await(c.t, "the caller hears the agent again", func() bool { return !c.heard.sorryAt().IsZero() })
	limit := 1500 * time.Millisecond
	if c.late != nil {
		limit += 3 * time.Second // the network takes them
	}
	if took := c.heard.sorryAt().Sub(since); took > limit {
		return fmt.Errorf("the caller hears the agent after %v", took)
	}
	return nil
}

// checkPerson checks that the person's phone neither rings nor is connected any more, and was not for long after the hang-up.
func (c *transferCase) checkPerson(since time.Time) error {
	if c.late != nil {
		if strings.HasSuffix(c.agent, "-person") {
			return nil
		}
		c.awaitNetwork("BYE") // of the answer that came after all
		return nil
	}
	incoming := len(c.personEvents(c.arrival())) - c.events[c.arrival()]
	c.awaitEvent("CALL_CLOSED", incoming)
	closed := c.personEvents("CALL_CLOSED")
	if incoming == 0 {
		return nil
	}
	if took := closed[len(closed)-1].Sub(since); took > time.Second {
		return fmt.Errorf("the person's phone is closed after %v", took)
	}
	return nil
}

// checkSteps checks the transfer in the call's timeline.
func (c *transferCase) checkSteps(party string) error {
	failed := "failed caller_left"
	if party == personHangsUp {
		failed = "failed " + c.moment.reason
	}
	var want []string
	switch c.moment.name {
	case "requested":
	case "dialled", "ringing", "early media", "comforted":
		want = []string{"started", failed}
	case "second target":
		want = []string{"started", "failed busy", "started", failed}
	case "connected":
		want = []string{"started", "answered", "completed"}
	default:
		want = []string{"started", "answered", failed}
	}
	got := transferSteps(c.t, c.Server, c.id)
	if c.moment.name == "accepting" && len(got) == 3 && got[2] == "completed" {
		want[2] = "completed" // the key came before
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the transfer is %q, want %q", got, want)
	}
	return nil
}
