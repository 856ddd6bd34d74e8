package turn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/fault"
)

// Options are the settings of turn-taking. An agent overrides them under
// config.turn (see docs/turn-taking.md).
type Options struct {
	// EndpointComplete is the silence after which a turn ends when the
	// recogniser judges the utterance complete.
	EndpointComplete time.Duration
	// EndpointDefault is the silence that ends any other turn.
	EndpointDefault time.Duration
	// EndpointUnfinished is the silence that ends a turn whose text looks
	// unfinished: a trailing conjunction or filler, digits being read out.
	EndpointUnfinished time.Duration
	// EndpointMax is the most to which EndpointDefault and EndpointUnfinished grow for
	// a caller who pauses within turns; 0: they do not grow.
	EndpointMax time.Duration
	// PauseAfter is how much caller speech pauses the agent's audio.
	PauseAfter time.Duration
	// InterruptAfter is how much caller speech is an interruption even
	// without a recognised word, if it is speech beyond doubt.
	InterruptAfter time.Duration
	// DuckFor is how long sound that may be no speech ducks the agent's audio before
	// it pauses it.
	DuckFor time.Duration
	// PauseLimit is how long such sound pauses the agent's audio at most, unless
	// a word is recognised.
	PauseLimit time.Duration
	// ResumeAfter is the silence after which a paused agent resumes, if there was
	// no interruption.
	ResumeAfter time.Duration
	// TranscriptWait is how long after the caller's last sound a transcript may
	// arrive before the sound counts as noise.
	TranscriptWait time.Duration
	// FillerAfter is the silence during a tool call after which the agent says the
	// filler; 0 for never.
	FillerAfter time.Duration
	// AnswerDeadline is the silence while an answer is due after which the agent
	// says a few words meanwhile, and the error log the cause; 0 for never.
	AnswerDeadline time.Duration
	// SilencePromptAfter is the silence of both sides after which the agent
	// asks whether the caller is still there; 0 for never.
	SilencePromptAfter time.Duration
	// SilencePrompts is how often the agent asks before the caller speaks again.
	SilencePrompts int
	// SilencePrompt is the text of that question, a template; "" leaves it to the
	// language model.
	SilencePrompt string
	// GreetingUninterruptible has the greeting played to its end whatever the caller says.
	GreetingUninterruptible bool
	// Budget is the voice-to-voice latency over which a turn is reported as too
	// slow; 0 for none.
	Budget time.Duration
}

// DefaultOptions holds every default of turn-taking.
var DefaultOptions = Options{
	EndpointComplete:   300 * time.Millisecond,
	EndpointDefault:    600 * time.Millisecond,
	EndpointUnfinished: 1200 * time.Millisecond,
	EndpointMax:        1200 * time.Millisecond,
	PauseAfter:         160 * time.Millisecond,
	InterruptAfter:     500 * time.Millisecond,
	DuckFor:            240 * time.Millisecond,
	PauseLimit:         time.Second,
	ResumeAfter:        400 * time.Millisecond,
	TranscriptWait:     3 * time.Second,
	FillerAfter:        1200 * time.Millisecond,
	AnswerDeadline:     6 * time.Second,
	SilencePromptAfter: 10 * time.Second,
	SilencePrompts:     2,
	SilencePrompt:      "",
	Budget:             2500 * time.Millisecond,
}

// settings are the keys of an agent's config.turn whose values are whole
// numbers of milliseconds within bounds, or 0 where that switches something
// off. No endpoint is under 200 ms because the voice activity detector reports
// the end of speech no sooner, and no speech counts under the 60 ms after which
// it reports the beginning.
var settings = []struct {
	key         string
	least, most time.Duration
	field       func(*Options) *time.Duration
	off         bool // 0 is allowed
}{
	{"endpoint_complete_ms", 200 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.EndpointComplete }, false},
	{"endpoint_default_ms", 200 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.EndpointDefault }, false},
	{"endpoint_unfinished_ms", 200 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.EndpointUnfinished }, false},
	{"endpoint_max_ms", 200 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.EndpointMax }, true},
	{"pause_after_ms", 60 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.PauseAfter }, false},
	{"interrupt_after_ms", 60 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.InterruptAfter }, false},
	{"duck_ms", 20 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.DuckFor }, true},
	{"pause_limit_ms", 200 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.PauseLimit }, false},
	{"resume_after_ms", 200 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.ResumeAfter }, false},
	{"transcript_wait_ms", 500 * time.Millisecond, 10 * time.Second, func(o *Options) *time.Duration { return &o.TranscriptWait }, false},
	{"filler_after_ms", 300 * time.Millisecond, time.Minute, func(o *Options) *time.Duration { return &o.FillerAfter }, false},
	{"answer_deadline_ms", time.Second, time.Minute, func(o *Options) *time.Duration { return &o.AnswerDeadline }, true},
	{"silence_prompt_after_ms", time.Second, 10 * time.Minute, func(o *Options) *time.Duration { return &o.SilencePromptAfter }, true},
	{"budget_ms", 100 * time.Millisecond, time.Minute, func(o *Options) *time.Duration { return &o.Budget }, true},
}

// The keys whose values are something else: how many, and a text.
const (
	silencePrompts    = "silence_prompts"
	maxSilencePrompts = 10
	silencePrompt     = "silence_prompt"
	// greetingInterruptible is true or false.
	greetingInterruptible = "greeting_interruptible"
	maxSilencePrompt      = 2000 // characters
)

// Check returns the faults of an agent's config.turn, by paths relative to it;
// the path is empty when it is no object. Absent settings, or null, have none.
func Check(raw json.RawMessage) []fault.Detail {
	_, faults := Override(Options{}, raw)
	return faults
}

// Override applies an agent's config.turn to options. A faulty setting is not
// applied.
func Override(o Options, raw json.RawMessage) (Options, []fault.Detail) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return o, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return o, []fault.Detail{{Message: "must be an object"}}
	}
	var faults []fault.Detail
	for _, setting := range settings {
		value, exists := given[setting.key]
		if !exists {
			continue
		}
		delete(given, setting.key)
		var milliseconds *int64
		if err := json.Unmarshal(value, &milliseconds); err != nil || milliseconds == nil {
			faults = append(faults, fault.Detail{Field: setting.key, Message: "must be a whole number of milliseconds"})
			continue
		}
		least, most := setting.least.Milliseconds(), setting.most.Milliseconds()
		if (*milliseconds < least || *milliseconds > most) && !(setting.off && *milliseconds == 0) {
			message := fmt.Sprintf("must be between %d and %d", least, most)
			if setting.off {
				message += ", or 0 for never"
			}
			faults = append(faults, fault.Detail{Field: setting.key, Message: message})
			continue
		}
		*setting.field(&o) = time.Duration(*milliseconds) * time.Millisecond
	}
	if value, exists := given[silencePrompts]; exists {
		delete(given, silencePrompts)
		var count *int
		if err := json.Unmarshal(value, &count); err != nil || count == nil || *count < 0 || *count > maxSilencePrompts {
			faults = append(faults, fault.Detail{Field: silencePrompts, Message: fmt.Sprintf("must be a whole number between 0 and %d", maxSilencePrompts)})
		} else {
			o.SilencePrompts = *count
		}
	}
	if value, exists := given[silencePrompt]; exists {
		delete(given, silencePrompt)
		var text *string
		if err := json.Unmarshal(value, &text); err != nil || text == nil || utf8.RuneCountInString(*text) > maxSilencePrompt || strings.ContainsRune(*text, 0) {
			faults = append(faults, fault.Detail{Field: silencePrompt, Message: fmt.Sprintf("must be a text of at most %d characters", maxSilencePrompt)})
		} else {
			o.SilencePrompt = *text
		}
	}
	if value, exists := given[greetingInterruptible]; exists {
		delete(given, greetingInterruptible)
		var interruptible *bool
		if err := json.Unmarshal(value, &interruptible); err != nil || interruptible == nil {
			faults = append(faults, fault.Detail{Field: greetingInterruptible, Message: "must be true or false"})
		} else {
			o.GreetingUninterruptible = !*interruptible
		}
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if len(faults) > fault.MaxDetails {
			break
		}
		faults = append(faults, fault.Detail{Field: key, Message: "is no setting of turn-taking; there are " + strings.Join(settingNames(), ", ")})
	}
	return o, faults
}

func settingNames() (names []string) {
	for _, setting := range settings {
		names = append(names, setting.key)
	}
	return append(names, silencePrompts, silencePrompt, greetingInterruptible)
}
