package caller

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/client"
)

// entries makes a transcript of lines "u: text", "a: text" and "s: text".
func entries(lines ...string) []client.TranscriptEntry {
	var out []client.TranscriptEntry
	for _, l := range lines {
		role, text, _ := strings.Cut(l, ": ")
		out = append(out, client.TranscriptEntry{Role: map[string]string{"u": "user", "a": "assistant", "s": "system"}[role], Content: text})
	}
	return out
}

func TestReplies(t *testing.T) {
	tests := []struct {
		name       string
		said       []string
		transcript []client.TranscriptEntry
		want       []string
	}{
		{"one each", []string{"what are your opening hours", "goodbye"},
			entries("a: Hello.", "u: what are your opening hours", "a: Nine to five.", "u: goodbye", "a: Bye."),
			[]string{"Nine to five.", "Bye."}},
		{"reply in two entries", []string{"hello"}, entries("a: Hi.", "u: hello", "a: One.", "s: handoff", "a: Two."), []string{"One. Two."}},
		{"first line missed", []string{"book a table", "goodbye"}, entries("a: Hi.", "u: goodbye", "a: Bye."), []string{"", "Bye."}},
		{"last line missed", []string{"book a table", "goodbye"}, entries("a: Hi.", "u: book a table", "a: When?"), []string{"When?", ""}},
		{"misheard", []string{"what is the fare", "thanks"}, entries("u: water is there", "a: Pardon?", "u: thanks", "a: Sure."), []string{"Pardon?", "Sure."}},
		{"heard in two pieces", []string{"what are your opening hours", "thanks"},
			entries("u: what are your", "u: opening hours", "a: Nine to five.", "u: thanks", "a: Sure."), []string{"Nine to five.", "Sure."}},
		{"nothing heard", []string{"hello"}, entries("a: Hi."), []string{""}},
		{"nothing said", nil, entries("a: Hi.", "u: noise", "a: Pardon?"), []string{}},
		{"punctuation", []string{"Goodbye!", "Yes, please."}, entries("u: yes please", "a: Done."), []string{"", "Done."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, replies(test.said, test.transcript)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestResultAsJSON(t *testing.T) {
	ms := 412.5
	encoded, err := json.Marshal(Result{
		CallID: "c", Status: "completed", StatusReason: "agent_ended", Turns: []Turn{{"hi", "hello", &ms}, {"bye", "", nil}},
		Transcript: []client.TranscriptEntry{},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"call_id":"c","status":"completed","dispatch_to_track_ms":null,"turns":[` +
		`{"said":"hi","replied":"hello","voice_to_voice_ms":412.5},{"said":"bye","replied":"","voice_to_voice_ms":null}],` +
		`"interruption_ms":null,"transcript":[],"recording":""}`
	if string(encoded) != want {
		t.Errorf("got  %s\nwant %s", encoded, want)
	}
}

func TestPrint(t *testing.T) {
	reply, track, cut := 412.4, 12.0, 230.0
	var b bytes.Buffer
	err := (&Result{
		CallID: "c1", Status: "completed", StatusReason: "agent_ended", DispatchToTrackMS: &track, InterruptionMS: &cut, Recording: "out.wav",
		Turns:      []Turn{{"when do you open", "At nine.", &reply}, {"mumble", "", nil}},
		Transcript: entries("a: Welcome.", "u: when do you open", "a: At nine."),
	}).Print(&b)
	if err != nil {
		t.Fatal(err)
	}
	const want = `call c1

  agent   Welcome.

  caller  when do you open
  agent   At nine.  (after 412 ms)

  caller  mumble
  agent   (no reply)

completed (agent_ended); agent's track 12 ms after the dispatch; silent 230 ms after an interruption began; agent's voice in out.wav
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
