package voice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/internal/fault"
)

// TurnOptions are the times that turn-taking goes by. An agent overrides them
// under config.turn, in milliseconds (see docs/turn-taking.md).
type TurnOptions struct {
	// EndpointComplete is the silence after which a turn ends when the
	// recogniser judges the utterance complete.
	EndpointComplete time.Duration
	// EndpointDefault is the silence that ends any other turn.
	EndpointDefault time.Duration
	// EndpointUnfinished is the silence that ends a turn whose text looks
	// unfinished: a trailing conjunction or filler, digits being read out.
	EndpointUnfinished time.Duration
	// PauseAfter is how much caller speech pauses the agent's audio.
	PauseAfter time.Duration
	// InterruptAfter is how much caller speech is an interruption even
	// without a recognised word.
	InterruptAfter time.Duration
	// ResumeAfter is the silence after which a paused agent goes on when
	// what it heard was no interruption.
	ResumeAfter time.Duration
	// TranscriptWait is how long after the caller's last sound a transcript
	// may still come before the sound is taken for noise.
	TranscriptWait time.Duration
}

// DefaultTurnOptions holds every default of turn-taking.
var DefaultTurnOptions = TurnOptions{
	EndpointComplete:   300 * time.Millisecond,
	EndpointDefault:    600 * time.Millisecond,
	EndpointUnfinished: 1200 * time.Millisecond,
	PauseAfter:         160 * time.Millisecond,
	InterruptAfter:     500 * time.Millisecond,
	ResumeAfter:        400 * time.Millisecond,
	TranscriptWait:     3 * time.Second,
}

// settings are the keys of an agent's config.turn. Each is a whole number of
// milliseconds within its bounds. No endpoint is under 200 ms because the
// voice activity detector tells the end of speech no sooner, and no speech
// counts under the 60 ms that it takes to tell its beginning.
var settings = []struct {
	key         string
	least, most time.Duration
	field       func(*TurnOptions) *time.Duration
}{
	{"endpoint_complete_ms", 200 * time.Millisecond, 10 * time.Second, func(o *TurnOptions) *time.Duration { return &o.EndpointComplete }},
	{"endpoint_default_ms", 200 * time.Millisecond, 10 * time.Second, func(o *TurnOptions) *time.Duration { return &o.EndpointDefault }},
	{"endpoint_unfinished_ms", 200 * time.Millisecond, 10 * time.Second, func(o *TurnOptions) *time.Duration { return &o.EndpointUnfinished }},
	{"pause_after_ms", 60 * time.Millisecond, 10 * time.Second, func(o *TurnOptions) *time.Duration { return &o.PauseAfter }},
	{"interrupt_after_ms", 60 * time.Millisecond, 10 * time.Second, func(o *TurnOptions) *time.Duration { return &o.InterruptAfter }},
	{"resume_after_ms", 200 * time.Millisecond, 10 * time.Second, func(o *TurnOptions) *time.Duration { return &o.ResumeAfter }},
	{"transcript_wait_ms", 500 * time.Millisecond, 10 * time.Second, func(o *TurnOptions) *time.Duration { return &o.TranscriptWait }},
}

// CheckTurn returns what is wrong with an agent's config.turn, by paths
// relative to it; the path is empty when it is no object at all. Without
// settings, or null, nothing is.
func CheckTurn(raw json.RawMessage) []fault.Detail {
	_, faults := override(TurnOptions{}, raw)
	return faults
}

// override applies an agent's config.turn to options. What is faulty is left
// as it was.
func override(o TurnOptions, raw json.RawMessage) (TurnOptions, []fault.Detail) {
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
		if *milliseconds < setting.least.Milliseconds() || *milliseconds > setting.most.Milliseconds() {
			faults = append(faults, fault.Detail{Field: setting.key,
				Message: fmt.Sprintf("must be between %d and %d", setting.least.Milliseconds(), setting.most.Milliseconds())})
			continue
		}
		*setting.field(&o) = time.Duration(*milliseconds) * time.Millisecond
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		faults = append(faults, fault.Detail{Field: key, Message: "is no setting of turn-taking; there are " + strings.Join(settingNames(), ", ")})
	}
	return o, faults
}

func settingNames() (names []string) {
	for _, setting := range settings {
		names = append(names, setting.key)
	}
	return names
}
