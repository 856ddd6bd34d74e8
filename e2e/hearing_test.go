package e2e

import (
	"bytes"
	"fmt"
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
	"parley/internal/dialogue"
	"parley/internal/hearing/corpus"
	"parley/internal/media"
	"parley/internal/provider/emulator"
)

// library is the greeting of an agent that has much to say.
const library = "Welcome to the town library. We are open from nine in the morning until six in the evening, except on Sundays. " +
	"You can ask me about books, about your account, and about the events of this week. How can I help you today?"

// newLibrary makes an agent that says it, named after its recogniser.
func newLibrary(t *testing.T, s *binary.Server, stt string) {
	t.Helper()
	ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": stt, "config": object{
		"prompt": object{"system": "You work in a library.", "greeting": library}, "turn": object{"silence_prompts": 0},
		"stt": choices[stt], "llm": choices["think"], "tts": choices["speak"],
	}}, nil)
}

// wordless are vendors whose recognisers recognise no word, and whose models are not asked.
func wordless(t *testing.T) vendors {
	t.Helper()
	return newVendors(t, script{heard: map[string][]string{"assemblyai": {""}}, answers: func(string, dialogue.Prompt) emulator.Reply {
		t.Error("a model was asked")
		return emulator.Reply{}
	}})
}

// What a caller's room sends back while the agent speaks, and sounds in which no word is recognised, neither stop the agent
// nor make it say anything else. A busy machine stalls in mid-call, which shifts the echo as no room does, and tears holes into sounds: see
// undisturbed. TestConditions of internal/voice/trial has two minutes of each in virtual time.
func TestSoundsOverTheAgent(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), wordless(t).settings(keyOf))
	newLibrary(t, s, "assemblyai")
	newLibrary(t, s, "hear") // which finds words in echo
	play := func(sound corpus.Sound) func(*media.Participant) {
		pcm := corpus.Upsample(sound).PCM()
		return func(p *media.Participant) { callers.NewMicrophone(p).Play(pcm) }
	}
	const length = 20 // s
	for _, tc := range []struct {
		name, agent string
		begin       func(*media.Participant)
	}{
		{"echo", "hear", func(p *media.Participant) { go callers.Echo(p, 200*time.Millisecond, 0.1) }},
		{"coughs and sneezes", "assemblyai", play(corpus.Mix(corpus.Coughs(1, length), corpus.Sneezes(2, length).Delay(1.5)))},
		{"traffic, from the first", "assemblyai", play(corpus.Traffic(3, length))},
		{"keys of a telephone", "assemblyai", play(corpus.Tones(4, length))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			undisturbed(t, func() string { return greetOver(t, s, tc.agent, tc.begin) })
		})
	}
}

// greetOver makes a call in which the caller sends sound from the first, and returns what went wrong with the agent's
// greeting, or "".
func greetOver(t *testing.T, s *binary.Server, agent string, begin func(*media.Participant)) string {
	t.Helper()
	defer acquireLine()()
	d := beginWith(t, s, agent)
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Leave()
	begin(caller)
	return greeted(t, s, d.CallID)
}

// greeted waits for the agent's greeting in a call, ends the call, and returns what went wrong, or "".
func greeted(t *testing.T, s *binary.Server, id string) string {
	t.Helper()
	awaitStatus(t, s, id, client.Active)
	var entries []client.TranscriptEntry
	var err error
	await(t, "the greeting", func() bool {
		entries, err = s.API.Calls.Transcript(t.Context(), id)
		return err == nil && len(entries) > 0
	})
	if _, err := s.API.Calls.End(t.Context(), id); err != nil {
		t.Error(err)
	}
	overlaps := overlaps(t, s, id)
	t.Logf("overlaps: %q", overlaps)
	resumed := 0
	for _, o := range overlaps {
		if strings.HasPrefix(o, client.MomentAgentInterrupted) {
			return "the agent was interrupted"
		}
		if strings.HasPrefix(o, client.MomentAgentResumed) {
			resumed++
		}
	}
	if said := strings.Join(strings.Fields(entries[0].Content), " "); len(entries) != 1 || said != library {
		return fmt.Sprintf("the transcript is %+v", entries)
	}
	if resumed > 1 {
		return fmt.Sprintf("the agent was lowered or paused %d times, want once at most", resumed)
	}
	return ""
}

// overlaps returns what the timeline has of sound over the agent, with its cause.
func overlaps(t *testing.T, s *binary.Server, id string) (all []string) {
	t.Helper()
	moments, err := s.API.Calls.Timeline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		switch m.Type {
		case client.MomentAgentInterrupted, client.MomentAgentResumed, client.MomentOverlapIgnored:
			all = append(all, m.Type+" "+m.Cause)
		}
	}
	return all
}

// The same over the telephone, at 8 kHz: one phone sends back what it receives, the other one's caller coughs and presses keys.
func TestSoundsOverThePhone(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(ports, wordless(t).settings(keyOf))
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	newLibrary(t, s, "assemblyai")
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "agent_name": "assemblyai", "trunk_id": trunk.ID}, nil)
	const length = 20 // s
	sounds := corpus.Mix(corpus.Coughs(1, length), corpus.Tones(4, length/2).Delay(length/2))
	for _, tc := range []struct {
		name  string
		phone *softphone
		sound corpus.Sound
	}{
		{"echo", newSoftphone(t, loopback...), nil},
		{"coughs and keys", newSoftphone(t), sounds},
	} {
		t.Run(tc.name, func(t *testing.T) {
			undisturbed(t, func() string {
				defer acquireLine()()
				return greetPhone(t, s, tc.phone, ports["PARLEY_SIP_PORT"], tc.sound)
			})
		})
	}
}

// greetPhone has a phone call the library, send a sound, and hang up after the greeting. It returns what went wrong, or "".
func greetPhone(t *testing.T, s *binary.Server, phone *softphone, port string, sound corpus.Sound) string {
	t.Helper()
	var before []string
	ids := func() (all []string) {
		listed, err := s.API.Calls.List(t.Context(), client.CallQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range listed.Items {
			if !slices.Contains(before, c.ID) {
				all = append(all, c.ID)
			}
		}
		return all
	}
	before = ids()
	phone.dial(t, "+4930111111", port)
	await(t, "the call is there", func() bool { return len(ids()) > 0 })
	id := ids()[0]
	if sound != nil {
		awaitStatus(t, s, id, client.Active)
		phone.command(t, "ausrc", "aufile,"+phone.line(t, sound.PCM()))
	}
	if problem := greeted(t, s, id); problem != "" {
		awaitOver(t, s, id)
		return problem
	}
	awaitEnd(t, s, id, client.Completed, "ended_by_api")
	return ""
}

// The timeline has the cause for which an agent that is spoken over speaks on or stops: a backchannel, speech in which no
// word is recognised, a word.
func TestCausesInTheTimeline(t *testing.T) {
	t.Parallel()
	defer acquireLine()()
	long := strings.Repeat(library+" ", 6)
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {"mm-hm", "", "one moment please"}},
		answers: func(string, dialogue.Prompt) emulator.Reply { return emulator.Reply{Text: long} }})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": "library", "config": object{
		"prompt": object{"system": "You work in a library.", "greeting": long}, "turn": object{"silence_prompts": 0},
		"stt": choices["deepgram"], "llm": choices["openai"], "tts": choices["cartesia"],
	}}, nil)
	d := beginWith(t, s, "library")
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Leave()
	microphone := callers.NewMicrophone(caller)
	resampler := audio.NewResampler(dialogue.ListenRate, dialogue.SpeakRate)
	line := resampler.Flush(resampler.Process(speech(t, "slt", "i would like to return my new shoes"), nil))
	line = slices.Concat(make([]int16, 2*dialogue.SpeakRate), line) // the silence ends the line before
	awaitStatus(t, s, d.CallID, client.Active)
	want := []string{"agent_resumed backchannel", "agent_interrupted sure", "agent_resumed noise", "agent_interrupted word"}
	await(t, fmt.Sprintf("overlaps %q", want), func() bool {
		microphone.Play(line) // a line that a busy machine tears is said again, when its turn comes
		got := overlaps(t, s, d.CallID)
		return !slices.ContainsFunc(want, func(o string) bool { return !slices.Contains(got, o) })
	})
}

// A single word after digital silence stops the agent, in a room and on the phone, and "okay" does not; both are in the
// transcript. TestSingleWords of internal/voice/trial has voices in eight languages and several lines.
func TestSingleWordOverTheAgent(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {"okay", "no"}}})
	maps.Copy(ports, v.settings(keyOf))
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	newLibrary(t, s, "deepgram")
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "agent_name": "deepgram", "trunk_id": trunk.ID}, nil)
	var words corpus.Sound
	for _, word := range []string{"okay", "no"} {
		said, err := corpus.Speech(word, "en-gb+m5")
		if err != nil {
			t.Fatal(err)
		}
		words = append(append(words, make(corpus.Sound, 3*corpus.Rate)...), said...)
	}
	words = append(words, make(corpus.Sound, 20*corpus.Rate)...)
	heard := func(t *testing.T, id string) string {
		awaitStatus(t, s, id, client.Active)
		var said []string
		await(t, "the answer", func() bool {
			entries, err := s.API.Calls.Transcript(t.Context(), id)
			said = nil
			for _, e := range entries {
				line := e.Role + ": " + e.Content
				if e.Ignored {
					line += " (ignored)"
				}
				said = append(said, line)
			}
			return err == nil && len(said) > 0 && strings.HasPrefix(said[len(said)-1], "assistant: All right")
		})
		if _, err := s.API.Calls.End(t.Context(), id); err != nil {
			t.Error(err)
		}
		found := overlaps(t, s, id)
		if !slices.Contains(said, "user: okay (ignored)") || !slices.Contains(said, "user: no") || !slices.Contains(found, "agent_interrupted word") || slices.Contains(found, "agent_interrupted sure") {
			return fmt.Sprintf("the transcript is %q, the overlaps are %q", said, found)
		}
		return ""
	}
	t.Run("room", func(t *testing.T) {
		undisturbed(t, func() string {
			defer acquireLine()()
			d := beginWith(t, s, "deepgram")
			caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
			if err != nil {
				t.Fatal(err)
			}
			defer caller.Leave()
			awaitStatus(t, s, d.CallID, client.Active)
			go callers.NewMicrophone(caller).Play(corpus.Upsample(words).PCM())
			return heard(t, d.CallID)
		})
	})
	t.Run("phone", func(t *testing.T) {
		undisturbed(t, func() string {
			defer acquireLine()()
			phone := newSoftphone(t)
			phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
			var id string
			await(t, "the call is there", func() bool {
				listed, err := s.API.Calls.List(t.Context(), client.CallQuery{Status: client.Active})
				if err != nil || len(listed.Items) == 0 {
					return false
				}
				id = listed.Items[0].ID
				return true
			})
			phone.command(t, "ausrc", "aufile,"+phone.line(t, words.PCM()))
			return heard(t, id)
		})
	})
}

// parley hearing eval plays an operator's recordings over an agent.
func TestHearingEval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	word, err := corpus.Speech("wait a moment", "en-gb+m5")
	if err != nil {
		t.Fatal(err)
	}
	for name, sound := range map[string]corpus.Sound{"speech/wait": word, "noise/typing": corpus.Typing(1, 4)} {
		path := filepath.Join(dir, name+".wav")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		var wav bytes.Buffer
		if err := audio.WriteWAV(&wav, sound.PCM(), corpus.Rate); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, wav.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "speech", "wait.txt"), []byte("wait a moment\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := command(t, 0, "hearing", "eval", dir)
	if !strings.Contains(out, "speech/wait.wav") || !strings.HasSuffix(out, "speech missed: 0 of 1; other sound that interrupted: 0 of 1\n") {
		t.Errorf("the table is\n%s", out)
	}
	if _, log := command(t, 2, "hearing", "eval", filepath.Join(dir, "none")); !strings.Contains(log, "has no recordings: they are expected as speech/<name>.wav") {
		t.Errorf("a folder without recordings: %q", log)
	}
}
