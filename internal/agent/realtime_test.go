package agent

import (
	"strings"
	"testing"
)

// realtimeCatalogue is a catalogue with a speech-to-speech provider.
type realtimeCatalogue struct{ catalogue }

func (realtimeCatalogue) Has(kind, name string) bool {
	return kind == "realtime" && name == "duplex" || kind != "realtime"
}

func (realtimeCatalogue) Names(string) []string { return []string{"duplex"} }

func (realtimeCatalogue) KnowsModel(_, _, model string) bool { return model == "d1" }

func (realtimeCatalogue) KnowsRealtimeVoice(_, voice string) bool { return voice == "dora" }

func (realtimeCatalogue) Limits(string) []string { return []string{"it cannot sing"} }

func TestRealtimeIsChecked(t *testing.T) {
	prompt := Prompt{System: "Be kind."}
	for name, test := range map[string]struct {
		config           Config
		faults, warnings string // fields and messages, joined
	}{
		"alone":           {Config{Prompt: prompt, Realtime: &Realtime{"duplex", "d1", "dora"}}, "", "config.realtime: it cannot sing"},
		"no provider":     {Config{Prompt: prompt, Realtime: &Realtime{Model: "d1"}}, "config.realtime.provider", ""},
		"other provider":  {Config{Prompt: prompt, Realtime: &Realtime{"solo", "d1", ""}}, "config.realtime.provider", ""},
		"no model":        {Config{Prompt: prompt, Realtime: &Realtime{Provider: "duplex"}}, "config.realtime.model", ""},
		"other model":     {Config{Prompt: prompt, Realtime: &Realtime{"duplex", "d9", ""}}, "", "d9 is not among the models known of duplex"},
		"other voice":     {Config{Prompt: prompt, Realtime: &Realtime{"duplex", "d1", "carl"}}, "", "duplex has no voice carl"},
		"greeting":        {Config{Prompt: Prompt{System: "s", Greeting: "Hello."}, Realtime: &Realtime{"duplex", "d1", ""}}, "", "may change its words"},
		"redaction":       {Config{Prompt: prompt, Realtime: &Realtime{"duplex", "d1", ""}, Redaction: Redaction{BeforeModel: true}}, "", "nothing is masked before it"},
		"part of cascade": {Config{Prompt: prompt, Realtime: &Realtime{"duplex", "d1", ""}, STT: STT{Provider: "ear", Model: "e1"}}, "config.tts config.llm", ""},
		"nothing":         {Config{Prompt: prompt}, "config.stt config.tts config.llm", ""},
	} {
		v := validation{providers: realtimeCatalogue{}}
		v.config(test.config)
		var fields []string
		for _, f := range v.Faults {
			fields = append(fields, f.Field)
		}
		if strings.Join(fields, " ") != test.faults {
			t.Errorf("%s: faults %+v", name, v.Faults)
		}
		if warned := strings.Join(v.Warnings, "; "); !strings.Contains(warned, test.warnings) {
			t.Errorf("%s: warned of %q", name, warned)
		}
	}
}
