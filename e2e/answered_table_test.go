package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/phones"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// callsAtOnce is how many calls of the table are in progress at a time.
const callsAtOnce = 10

// party is who answers: what is said, and the tones after it.
type party struct {
	said   string
	tones  []float64     // hertz; 0 for a pause
	length time.Duration // of each
}

// parties has who answers, by the class that it is found to be.
var parties = map[string]party{
	client.AnsweredHuman:       {said: "Hello?"},
	client.AnsweredVoicemail:   {said: "You have reached Anna. Please leave a message after the tone.", tones: []float64{0, 1000}, length: 300 * time.Millisecond},
	client.AnsweredMailboxFull: {said: "This mailbox is full. Please try again later. Thank you."},
	client.AnsweredScreening:   {said: "Please record your name and reason for calling, thank you."},
	client.AnsweredMenu:        {said: "For sales, press one. For accounting, press two. Thank you."},
	client.AnsweredFax:         {tones: []float64{2100}, length: 4 * time.Second},
	client.AnsweredSilence:     {},
	client.AnsweredUnknown:     {tones: slices.Repeat([]float64{950, 1400, 1800, 0}, 3), length: 330 * time.Millisecond},
}

// personSays is what a person says who takes up the phone later on.
const personSays = "Yes, speaking."

// recording returns the sound of a party at phones.Rate.
func (p party) recording(t *testing.T) (pcm []int16) {
	t.Helper()
	if p.said != "" {
		pcm = phoneSpeech(t, p.said)
	}
	for _, hertz := range p.tones {
		tone := make([]int16, phones.Rate*p.length/time.Second)
		if hertz > 0 {
			tone = audio.Tone(hertz, phones.Rate, p.length)
		}
		pcm = append(pcm, tone...)
	}
	return pcm
}

func phoneSpeech(t *testing.T, text string) []int16 {
	t.Helper()
	r := audio.NewResampler(dialogue.ListenRate, phones.Rate)
	return r.Flush(r.Process(speech(t, "slt", text), nil))
}

// The texts of the agent of the table. Its voice speaks each as a tone of a pitch of its own.
const (
	tableOpening = "Good morning."
	tableMessage = "Please call us back."
	toPerson     = "a person in accounting"
	toNobody     = "the archive, which nobody answers for"
)

// utterances are the pitches of what the agent says, in hertz, which are no harmonics of each other.
var utterances = map[string]float64{"opening": 520, "message": 820, "identification": 1250, "reply": 1730}

func utteranceOf(text string) string {
	switch {
	case strings.Contains(text, tableOpening):
		return "opening"
	case strings.Contains(text, tableMessage):
		return "message"
	case strings.Contains(text, "Parley"), strings.Contains(text, "your order"):
		return "identification"
	}
	return "reply"
}

// tableVendors emulate the providers. The recogniser understands the words of the party that its key term names.
func tableVendors(t *testing.T) map[string]string {
	t.Helper()
	options := func(vendor string) emulator.Options { return emulator.Options{Key: keyOf(vendor)} }
	recognizers := map[string]*httputil.ReverseProxy{}
	for class, p := range parties {
		lines := []string{p.said, personSays}
		if class == client.AnsweredSilence {
			lines = lines[1:]
		}
		r := emulator.NewDeepgram(t, options("deepgram"), emulator.RecognizerScript{Lines: append(lines, make([]string, 50)...), Endpointing: endpointing})
		t.Cleanup(r.Close)
		target, err := url.Parse(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		recognizers[class] = &httputil.ReverseProxy{Rewrite: func(q *httputil.ProxyRequest) { q.SetURL(target) }}
	}
	recognizer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		recognizers[q.URL.Query().Get("keyterm")].ServeHTTP(w, q)
	}))
	t.Cleanup(recognizer.Close)
	model := emulator.NewOpenAI(t, options("openai"), emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		steps := p.Messages[len(p.Messages)-1].Content
		switch {
		case !strings.Contains(p.System, "a menu has answered"):
			return emulator.Reply{Text: "All right."}
		case !strings.Contains(steps, "PRESS"):
			return emulator.Reply{Text: "PRESS 42#"}
		case strings.Contains(p.System, toPerson) && strings.Contains(steps, personSays):
			return emulator.Reply{Text: "PERSON"}
		case strings.Contains(p.System, toPerson):
			return emulator.Reply{Text: "WAIT"}
		}
		return emulator.Reply{Text: "GIVE UP"}
	}})
	t.Cleanup(model.Close)
	voice := options("cartesia")
	voice.Speak = func(text string) []int16 {
		return audio.Tone(utterances[utteranceOf(text)], dialogue.SpeakRate, time.Second)
	}
	synthesizer := emulator.NewCartesia(t, voice)
	t.Cleanup(synthesizer.Close)
	return map[string]string{
		"DEEPGRAM_BASE_URL": recognizer.URL, "DEEPGRAM_API_KEY": keyOf("deepgram"), "OPENAI_BASE_URL": model.URL, "OPENAI_API_KEY": keyOf("openai"),
		"CARTESIA_BASE_URL": synthesizer.URL, "CARTESIA_API_KEY": keyOf("cartesia"),
	}
}

// answerCase is a call of the table.
type answerCase struct {
	class  string
	action client.AnswerAction
	person bool // takes up the phone once the agent has identified itself, or pressed keys

	heard   []string // by the party, in order; "reply" may follow an opening
	keys    string
	classes []string // of call.answered_by, in order
	reason  string   // why the call ends; ended_by_api once all of heard was heard
}

// endReasons is why a call ends of which the action of a class is end.
var endReasons = map[string]string{
	client.AnsweredHuman: "agent_ended", client.AnsweredVoicemail: "voicemail", client.AnsweredMailboxFull: "voicemail", client.AnsweredScreening: "screened_out",
	client.AnsweredMenu: "menu_failed", client.AnsweredFax: "agent_ended", client.AnsweredSilence: "agent_ended", client.AnsweredUnknown: "agent_ended",
}

// answerCases returns each class with each action. Calls that last alike are neighbours.
func answerCases() (all []answerCase) {
	withPerson := func(class string) []string {
		if class == client.AnsweredHuman {
			return []string{class}
		}
		return []string{class, client.AnsweredHuman}
	}
	for _, add := range []func(class string) answerCase{
		func(class string) answerCase {
			return answerCase{action: client.AnswerAction{Do: "end"}, reason: endReasons[class]}
		},
		func(string) answerCase {
			return answerCase{action: client.AnswerAction{Do: "continue"}, heard: []string{"opening"}, reason: "ended_by_api"}
		},
		func(string) answerCase {
			return answerCase{action: client.AnswerAction{Do: "leave_message", Text: tableMessage}, heard: []string{"message"}, reason: "voicemail_left"}
		},
		func(class string) answerCase {
			action := client.AnswerAction{Do: "identify", Name: "Parley", Purpose: "your order"}
			return answerCase{action: action, person: true, heard: []string{"identification", "opening"}, classes: withPerson(class), reason: "ended_by_api"}
		},
		func(class string) answerCase {
			if class == client.AnsweredMenu || class == client.AnsweredHuman {
				action := client.AnswerAction{Do: "navigate", Goal: toPerson}
				return answerCase{action: action, person: true, heard: []string{"opening"}, keys: "42#", classes: withPerson(class), reason: "ended_by_api"}
			}
			return answerCase{action: client.AnswerAction{Do: "navigate", Goal: toNobody}, keys: "42#", reason: "menu_failed"}
		},
	} {
		for _, class := range slices.Sorted(maps.Keys(parties)) {
			c := add(class)
			c.class = class
			if c.classes == nil {
				c.classes = []string{class}
			}
			all = append(all, c)
		}
	}
	return all
}

func (c answerCase) String() string { return c.class + " with " + c.action.Do }

// Over SIP, with recordings as the parties: each class with each action, ten calls at once.
func TestEachClassWithEachAction(t *testing.T) {
	t.Parallel()
	for range cap(lines) { // ten calls take all the processors
		defer acquireLine()()
	}
	settings := tableVendors(t)
	maps.Copy(settings, trunk(launchNetwork(t, "testdata/phones.xml")))
	x := &answerTable{Server: serve(t, filepath.Join(t.TempDir(), "data"), settings), person: phoneSpeech(t, personSays), recordings: map[string][]int16{}}
	for class, p := range parties {
		x.recordings[class] = p.recording(t)
	}
	x.receiver = receive(t)
	hook, err := x.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: x.receiver.URL})
	if err != nil {
		t.Fatal(err)
	}
	x.receiver.use(hook.Secret)
	newAgent(t, x.Server, "caller", choices["deepgram"], choices["openai"], choices["cartesia"]) // each call has a configuration of its own
	for pending := range slices.Chunk(answerCases(), callsAtOnce) {
		undisturbed(t, func() string {
			var failed []answerCase
			problems := x.place(t, pending)
			for n, c := range pending {
				if problems[n] != nil {
					failed = append(failed, c)
				}
			}
			pending = failed
			if err := errors.Join(problems...); err != nil {
				return err.Error()
			}
			return ""
		})
	}
}

// answerTable is the server whose agent places the calls.
type answerTable struct {
	*binary.Server
	receiver   *receiver
	recordings map[string][]int16 // by class
	person     []int16
}

// place places calls at once, and returns what went wrong with each; nil for nothing.
func (x *answerTable) place(t *testing.T, cases []answerCase) []error {
	problems := make([]error, len(cases))
	var calls sync.WaitGroup
	for n, c := range cases {
		calls.Go(func() {
			began := time.Now()
			if err := x.call(t, c); err != nil {
				problems[n] = fmt.Errorf("%v: %w", c, err)
			}
			t.Logf("%v: %v", c, time.Since(began).Round(100*time.Millisecond))
		})
	}
	calls.Wait()
	return problems
}

// call places a call and checks it.
func (x *answerTable) call(t *testing.T, c answerCase) error {
	phone, err := phones.NewAudio()
	if err != nil {
		return err
	}
	defer phone.Close()
	phone.Record()
	phone.Play(x.recordings[c.class])
	window := 20_000 // ms; no verdict of this table is by the clock
	d, err := x.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "caller", CallType: "sip", PhoneNumber: fmt.Sprintf("+49301%05d", phone.Port()), Config: &client.AgentConfig{
		Prompt: client.Prompt{System: "You call people.", Greeting: tableOpening},
		STT:    client.STT{Provider: "deepgram", Model: "nova-3", KeyTerms: []string{c.class}},
		LLM:    client.LLM{Provider: "openai", Model: "gpt-4.1"},
		TTS:    client.TTS{Provider: "cartesia", VoiceID: "694f9389-aac1-45b6-b726-9d9369183238"},
		AnswerDetection: client.AnswerDetection{Enabled: true, WindowMS: &window, Actions: map[string]client.AnswerAction{
			c.class: c.action,
		}},
	}})
	if err != nil {
		return err
	}
	ended, err := x.follow(t, c, phone, d.CallID)
	if err != nil {
		return err
	}
	return errors.Join(x.checkCall(c, ended), checkPhone(c, phone.Recorded(), audio.Duration(len(x.recordings[c.class]), phones.Rate)))
}

// follow has the person of a call speak in time, ends a call once all was heard, and returns it when it is over.
func (x *answerTable) follow(t *testing.T, c answerCase, phone *phones.Audio, id string) (*client.Call, error) {
	spoke, asked := !c.person, false
	for end := time.Now().Add(45 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		call, err := x.API.Calls.Get(t.Context(), id)
		if err != nil || call.Terminal() {
			return call, err
		}
		r := phone.Recorded()
		heard := heardIn(r)
		if !spoke && (c.keys != "" && r.Keys == c.keys || slices.Equal(kindsOf(heard), c.heard[:1])) && phone.Played()-lastHeard(heard) > time.Second {
			phone.Play(x.person)
			spoke = true
		}
		if !asked && c.reason == "ended_by_api" && hasAll(kindsOf(heard), c.heard) {
			if _, err := x.API.Calls.End(t.Context(), id); err != nil {
				return nil, err
			}
			asked = true
		}
	}
	r := phone.Recorded()
	return nil, fmt.Errorf("the call is not over within %v; heard %v, keys %q", patience, heardIn(r), r.Keys)
}

// checkCall checks what the API has of a call, and its events.
func (x *answerTable) checkCall(c answerCase, call *client.Call) (problem error) {
	if call.Status != client.Completed || reason(call) != c.reason {
		problem = errors.Join(problem, fmt.Errorf("ended as %s (%s), want %s", call.Status, reason(call), c.reason))
	}
	if last := c.classes[len(c.classes)-1]; call.AnsweredBy == nil || call.AnsweredBy.Class != last {
		problem = errors.Join(problem, fmt.Errorf("answered_by is %+v, want %s", call.AnsweredBy, last))
	}
	var classes []string
	for end := time.Now().Add(45 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if classes = x.receiver.answers(call.ID); len(classes) >= len(c.classes) {
			break
		}
	}
	if !slices.Equal(classes, c.classes) {
		problem = errors.Join(problem, fmt.Errorf("events call.answered_by of %q, want %q", classes, c.classes))
	}
	return problem
}

// answers returns the classes of the events call.answered_by of a call.
func (r *receiver) answers(callID string) (classes []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		var data struct {
			CallID   string `json:"call_id"`
			Class    string
			Evidence []client.AnswerEvidence
		}
		if e.Type == client.CallAnsweredBy && json.Unmarshal(e.Data, &data) == nil && data.CallID == callID && len(data.Evidence) > 0 {
			classes = append(classes, data.Class)
		}
	}
	return classes
}

// checkPhone checks what a party has received: nothing until its recording is over, in which a machine speaks and beeps.
func checkPhone(c answerCase, r phones.Recorded, recording time.Duration) (problem error) {
	heard := heardIn(r)
	if !hasAll(kindsOf(heard), c.heard) || hasOther(heard, c) {
		problem = errors.Join(problem, fmt.Errorf("heard %v, want %q", heard, c.heard))
	}
	if r.Keys != c.keys {
		problem = errors.Join(problem, fmt.Errorf("keys %q were pressed, want %q", r.Keys, c.keys))
	}
	if len(heard) > 0 && heard[0].from < recording {
		problem = errors.Join(problem, fmt.Errorf("the agent speaks after %v, want %v or later", heard[0].from, recording))
	}
	return problem
}

// hasOther reports whether something was heard that the agent should not have said.
func hasOther(heard []heardUtterance, c answerCase) bool {
	return slices.ContainsFunc(heard, func(u heardUtterance) bool {
		return !slices.Contains(c.heard, u.kind) && (u.kind != "reply" || !slices.Contains(c.heard, "opening"))
	})
}

// hasAll reports whether all that is wanted was heard, in its order.
func hasAll(kinds, want []string) bool {
	for _, kind := range kinds {
		if len(want) > 0 && kind == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// heardUtterance is an utterance of the agent that a phone received, by how much the phone had sent.
type heardUtterance struct {
	kind     string
	from, to time.Duration
}

func kindsOf(heard []heardUtterance) (kinds []string) {
	for _, u := range heard {
		kinds = append(kinds, u.kind)
	}
	return kinds
}

func lastHeard(heard []heardUtterance) time.Duration {
	if len(heard) == 0 {
		return 0
	}
	return heard[len(heard)-1].to
}

// heardIn returns the utterances in what a phone received. One that pauses is one. The first and last packets of an utterance, which are partly of
// silence, are left out.
func heardIn(r phones.Recorded) (heard []heardUtterance) {
	for _, p := range r.Packets {
		kind := kindOf(p.PCM)
		switch n := len(heard); {
		case kind == "":
		case n > 0 && heard[n-1].kind == kind:
			heard[n-1].to = p.At
		default:
			heard = append(heard, heardUtterance{kind, p.At, p.At})
		}
	}
	return heard
}

// kindOf returns the utterance that a packet is of; "" for none.
func kindOf(pcm []int16) string {
	if audio.Level(pcm) < -40 {
		return ""
	}
	for kind, hertz := range utterances {
		if audio.Power(pcm, hertz, phones.Rate) > 0.8 {
			return kind
		}
	}
	return ""
}
