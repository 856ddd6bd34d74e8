package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestAnswerDetectionRules(t *testing.T) {
	for given, want := range map[string]string{ // the field of the fault; "" for none
		`{"enabled": true}`:                                                                       "",
		`{"window_ms": 1200, "no_speech_ms": 1000}`:                                               "",
		`{"window_ms": 30000, "on_timeout": "voicemail"}`:                                         "",
		`{"window_ms": 1199}`:                                                                     "window_ms",
		`{"window_ms": 30001}`:                                                                    "window_ms",
		`{"no_speech_ms": 999}`:                                                                   "no_speech_ms",
		`{"no_speech_ms": 30001}`:                                                                 "no_speech_ms",
		`{"on_timeout": "robot"}`:                                                                 "on_timeout",
		`{"phrases": {"en": {"voicemail": ["leave * here"]}}}`:                                    "",
		`{"phrases": {"e!": {}}}`:                                                                 "phrases.e!",
		`{"phrases": {"en": {"robot": ["hello"]}}}`:                                               "phrases.en.robot",
		`{"phrases": {"en": {"menu": ["press", " * "]}}}`:                                         "phrases.en.menu[1]",
		`{"actions": {"robot": {"do": "end"}}}`:                                                   "actions.robot",
		`{"actions": {"human": {"do": "dance"}}}`:                                                 "actions.human.do",
		`{"actions": {"human": {}}}`:                                                              "actions.human.do",
		`{"actions": {"voicemail": {"do": "leave_message"}}}`:                                     "actions.voicemail.text",
		`{"actions": {"voicemail": {"do": "leave_message", "text": " "}}}`:                        "actions.voicemail.text",
		`{"actions": {"voicemail": {"do": "leave_message", "text": "Hi", "after": "tone"}}}`:      "actions.voicemail.after",
		`{"actions": {"voicemail": {"do": "leave_message", "text": "Hi", "max_wait_ms": 999}}}`:   "actions.voicemail.max_wait_ms",
		`{"actions": {"voicemail": {"do": "leave_message", "text": "Hi", "max_wait_ms": 30000}}}`: "",
		`{"actions": {"screening": {"do": "identify", "purpose": "it"}}}`:                         "actions.screening.name",
		`{"actions": {"screening": {"do": "identify", "name": "us"}}}`:                            "actions.screening.purpose",
		`{"actions": {"menu": {"do": "navigate"}}}`:                                               "actions.menu.goal",
		`{"actions": {"menu": {"do": "navigate", "goal": "it", "max_presses": 51}}}`:              "actions.menu.max_presses",
		`{"actions": {"menu": {"do": "navigate", "goal": "it", "max_s": 9}}}`:                     "actions.menu.max_s",
	} {
		c := configOf(t, sound)
		if err := json.Unmarshal([]byte(given), &c.AnswerDetection); err != nil {
			t.Fatal(err)
		}
		i := validation{providers: offered}
		i.config(c)
		var fields []string
		for _, f := range i.Faults {
			fields = append(fields, strings.TrimPrefix(f.Field, "config.answer_detection."))
		}
		if got := strings.Join(fields, ", "); got != want {
			t.Errorf("%s: faults of %q, want %q", given, got, want)
		}
	}
}

func TestTemplatesOfAnswersAreChecked(t *testing.T) {
	c := configOf(t, sound)
	c.AnswerDetection.Actions = map[string]AnswerAction{"voicemail": {Do: AnswerLeaveMessage, Text: "Hello {{usr.name}}"}}
	i := validation{providers: offered}
	i.config(c)
	if got := fmt.Sprint(i.Warnings); !strings.Contains(got, "config.answer_detection.actions.voicemail.text") {
		t.Errorf("warnings %s", got)
	}
}
