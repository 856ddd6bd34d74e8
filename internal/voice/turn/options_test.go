package turn

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/fault"
)

func TestCheck(t *testing.T) {
	const whole = "must be a whole number of milliseconds"
	for raw, want := range map[string][]fault.Detail{
		``:                              nil,
		`null`:                          nil,
		`{}`:                            nil,
		`{"endpoint_default_ms": 500}`:  nil,
		`{"endpoint_default_ms": 199}`:  {{Field: "endpoint_default_ms", Message: "must be between 200 and 10000"}},
		`{"transcript_wait_ms": 10001}`: {{Field: "transcript_wait_ms", Message: "must be between 500 and 10000"}},
		`{"pause_after_ms": 1.5}`:       {{Field: "pause_after_ms", Message: whole}},
		`{"pause_after_ms": "160"}`:     {{Field: "pause_after_ms", Message: whole}},
		`{"pause_after_ms": null}`:      {{Field: "pause_after_ms", Message: whole}},
		`{"pause_after_ms": 1e400}`:     {{Field: "pause_after_ms", Message: whole}},
		`{"silence_prompt_after_ms": 0, "budget_ms": 0, "silence_prompts": 0, "silence_prompt": ""}`: nil,
		`{"silence_prompt_after_ms": 999}`:                        {{Field: "silence_prompt_after_ms", Message: "must be between 1000 and 600000, or 0 for never"}},
		`{"budget_ms": -1}`:                                       {{Field: "budget_ms", Message: "must be between 100 and 60000, or 0 for never"}},
		`{"silence_prompts": 11}`:                                 {{Field: "silence_prompts", Message: "must be a whole number between 0 and 10"}},
		`{"silence_prompts": null}`:                               {{Field: "silence_prompts", Message: "must be a whole number between 0 and 10"}},
		`{"silence_prompt": 1}`:                                   {{Field: "silence_prompt", Message: "must be a text of at most 2000 characters"}},
		`{"silence_prompt": "` + strings.Repeat("x", 2001) + `"}`: {{Field: "silence_prompt", Message: "must be a text of at most 2000 characters"}},
		`[]`: {{Message: "must be an object"}},
		`{"resume_after_ms": true, "x": 1, "a": 2}`: {{Field: "resume_after_ms", Message: whole},
			{Field: "a", Message: "is no setting of turn-taking; there are " + strings.Join(settingNames(), ", ")},
			{Field: "x", Message: "is no setting of turn-taking; there are " + strings.Join(settingNames(), ", ")}},
	} {
		if diff := cmp.Diff(want, Check(json.RawMessage(raw))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

// Every setting reaches a field of its own, and every field has a setting.
func TestOverride(t *testing.T) {
	var want Options
	fields := []*time.Duration{&want.EndpointComplete, &want.EndpointDefault, &want.EndpointUnfinished, &want.EndpointMax, &want.PauseAfter,
		&want.InterruptAfter, &want.DuckFor, &want.PauseLimit, &want.ResumeAfter, &want.TranscriptWait, &want.FillerAfter,
		&want.AnswerDeadline, &want.SilencePromptAfter, &want.Budget}
	want.SilencePrompts, want.SilencePrompt = 7, "Hm?"
	given := map[string]any{silencePrompts: 7, silencePrompt: "Hm?"}
	for i, setting := range settings {
		given[setting.key] = 1000 + i
		*fields[i] = time.Duration(1000+i) * ms
	}
	raw, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	got, faults := Override(DefaultOptions, raw)
	if diff := cmp.Diff(want, got); diff != "" || faults != nil {
		t.Errorf("faults %v (-want +got):\n%s", faults, diff)
	}
	kept, _ := Override(DefaultOptions, json.RawMessage(`{"pause_after_ms": 5, "resume_after_ms": 700}`))
	if kept.PauseAfter != DefaultOptions.PauseAfter || kept.ResumeAfter != 700*ms {
		t.Errorf("overridden to %+v", kept)
	}
}

// The defaults keep to the bounds.
func TestDefaultsAreAllowed(t *testing.T) {
	for _, setting := range settings {
		o := DefaultOptions
		if value := *setting.field(&o); value < setting.least || value > setting.most {
			t.Errorf("%s is %v by default, allowed are %v to %v", setting.key, value, setting.least, setting.most)
		}
	}
}
