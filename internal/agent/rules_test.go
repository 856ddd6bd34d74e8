package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
)

// catalogue has no voice "nobody" and no Klingon, retires the model brain-0, and knows of no model with the setting "high".
type catalogue struct{ catalogtest.Catalog }

func (catalogue) KnowsVoice(name, voice string) bool { return voice != "nobody" }

func (catalogue) KnowsLanguage(kind, name, model, tag string) bool { return tag != "tlh" }

func (catalogue) Caveat(kind, name, model, parameter string, value any) string {
	if fmt.Sprint(value) == "high" {
		return name + " takes no " + parameter + ": not sent"
	}
	return ""
}

func (catalogue) Shutdown(name, model string) string {
	return map[string]string{"brain/brain-0": "2027-01-14", "mouth/brain-0": "2027-01-14"}[name+"/"+model]
}

var offered = catalogue{catalogtest.Catalog{
	"stt/ear": {"ear-1"}, "stt/offline": {"sphinx"},
	"tts/mouth": {"mouth-1"},
	"llm/brain": {"brain-1", "brain-2"}, "llm/offline": {"scripted"},
}}

const sound = `{
	"prompt": {"system": "You are kind.", "greeting": "Hello {{user.name}}"},
	"stt": {"provider": "ear", "model": "ear-1"},
	"tts": {"provider": "mouth", "voice_id": "v1"},
	"llm": {"provider": "brain", "model": "brain-1"}
}`

func configOf(t *testing.T, text string) Config {
	t.Helper()
	var c Config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func inspect(t *testing.T, text string) validation {
	i := validation{providers: offered}
	i.config(configOf(t, text))
	return i
}

func TestConfigFaults(t *testing.T) {
	with := func(field string) string { return strings.TrimSuffix(sound, "}") + "," + field + "}" }
	in := func(object, field string) string {
		return strings.Replace(sound, `"`+object+`": {`, `"`+object+`": {`+field+`,`, 1)
	}
	for _, test := range []struct {
		name, config string
		want         []string // paths
	}{
		{"sound", sound, nil},
		{"everything", with(`"tools": ["look_up", "B2"], "languages": ["en", "pt-BR", "zh-Hant-TW"], "default_language": "en", "turn": {"x": 1},
			"handoffs": [{"target_agent": "a", "condition": "{{flags.x}}", "context_pass": ["k"]}]`), nil},
		{"limits reached", strings.NewReplacer(`"voice_id"`, `"speed": 0.25, "voice_id"`, `"brain-1"`, `"brain-1", "temperature": 2, "max_tokens": 1`).Replace(sound), nil},
		{"nothing", `{}`, []string{"config.prompt.system", "config.stt", "config.tts", "config.llm"}},
		{"all empty", `{"prompt": {"system": " "}, "stt": {"language": "en"}, "tts": {"speed": 1}, "llm": {"temperature": 1}}`,
			[]string{"config.prompt.system", "config.stt.provider", "config.stt.model", "config.tts.provider", "config.tts.voice_id", "config.llm.provider", "config.llm.model"}},
		{"long prompt", in("prompt", `"x": 1`), nil},
		{"unknown providers", strings.NewReplacer(`"ear"`, `"mouth"`, `"mouth"`, `"brain"`, `"brain"`, `"ear"`).Replace(sound),
			[]string{"config.stt.provider", "config.tts.provider", "config.llm.provider"}},
		{"model forms", strings.NewReplacer(`ear-1`, `Ear 1`, `brain-1`, `brain 1`).Replace(sound), []string{"config.stt.model", "config.llm.model"}},
		{"numbers below", strings.NewReplacer(`"voice_id"`, `"speed": 0.2, "voice_id"`, `"brain-1"`, `"brain-1", "temperature": -0.1, "max_tokens": 0`).Replace(sound),
			[]string{"config.tts.speed", "config.llm.temperature", "config.llm.max_tokens"}},
		{"numbers above", strings.NewReplacer(`"voice_id"`, `"speed": 4.1, "voice_id"`, `"brain-1"`, `"brain-1", "temperature": 2.1`).Replace(sound),
			[]string{"config.tts.speed", "config.llm.temperature"}},
		{"fallbacks", strings.NewReplacer(`"ear-1"`, `"ear-1", "fallback": {"provider": "offline", "model": "sphinx", "language": "de"}`,
			`"v1"`, `"v1", "fallback": {"provider": "mouth", "voice_id": "v2", "speed": 4}`,
			`"brain-1"`, `"brain-1", "fallback": {"provider": "brain", "model": "brain-2", "temperature": 2, "max_tokens": 1}`).Replace(sound), nil},
		{"voice models", strings.Replace(sound, `"v1"`, `"v1", "model": "mouth-1", "fallback": {"provider": "mouth", "model": "mouth-1", "voice_id": "v2"}`, 1), nil},
		{"faulty voice models", strings.Replace(sound, `"v1"`, `"v1", "model": "Mouth 1", "fallback": {"provider": "mouth", "model": "?", "voice_id": "v2"}`, 1),
			[]string{"config.tts.model", "config.tts.fallback.model"}},
		{"no fallback", strings.ReplaceAll(sound, `"provider"`, `"fallback": null, "provider"`), nil},
		{"empty fallbacks", strings.ReplaceAll(sound, `"provider"`, `"fallback": {}, "provider"`),
			[]string{"config.stt.fallback.provider", "config.stt.fallback.model", "config.tts.fallback.provider", "config.tts.fallback.voice_id",
				"config.llm.fallback.provider", "config.llm.fallback.model"}},
		{"faulty fallbacks", strings.NewReplacer(`"ear-1"`, `"ear-1", "fallback": {"provider": "mouth", "model": "X!", "language": "?"}`,
			`"v1"`, `"v1", "fallback": {"provider": "ear", "voice_id": "v2", "speed": 5}`,
			`"brain-1"`, `"brain-1", "fallback": {"provider": "ear", "model": "brain-2", "temperature": 3, "max_tokens": 0}`).Replace(sound),
			[]string{"config.stt.fallback.provider", "config.stt.fallback.model", "config.stt.fallback.language", "config.tts.fallback.provider", "config.tts.fallback.speed",
				"config.llm.fallback.provider", "config.llm.fallback.temperature", "config.llm.fallback.max_tokens"}},
		{"blank voice", strings.Replace(sound, `"v1"`, `"  "`, 1), []string{"config.tts.voice_id"}},
		{"NUL", strings.Replace(sound, "Hello", `\u0000`, 1), []string{"config.prompt.greeting"}},
		{"language", strings.Replace(sound, `"ear-1"`, `"ear-1", "language": "e_n"`, 1), []string{"config.stt.language"}},
		{"tools", with(`"tools": ["ok", "not ok", "", "ok", "1st"]`), []string{"config.tools[1]", "config.tools[2]", "config.tools[3]", "config.tools[4]"}},
		{"languages", with(`"languages": ["en", "x", "english language"], "default_language": "?"`), []string{"config.languages[1]", "config.languages[2]", "config.default_language"}},
		{"handoffs", with(`"handoffs": [{"target_agent": "ok"}, {}, {"target_agent": "Not OK", "condition": "user.", "context_pass": ["a", ""]}, {"target_agent": "ok", "condition": "customer.vip"}]`),
			[]string{"config.handoffs[1].target_agent", "config.handoffs[2].target_agent", "config.handoffs[2].condition", "config.handoffs[2].context_pass[1]", "config.handoffs[3].condition"}},
		{"time zone", with(`"timezone": "America/New_York"`), nil},
		{"no time zone", with(`"timezone": "New York"`), []string{"config.timezone"}},
		{"turn", with(`"turn": [1]`), []string{"config.turn"}},
		{"audio", with(`"audio": {"noise_suppression": "very"}`), []string{"config.audio.noise_suppression"}},
	} {
		i := inspect(t, test.config)
		if d := cmp.Diff(test.want, paths(i.Faults)); d != "" {
			t.Errorf("%s: faults (-want +got):\n%s", test.name, d)
		}
	}
}

func TestTextLimitsCountCharacters(t *testing.T) {
	config := configOf(t, sound)
	config.Prompt.System = strings.Repeat("ß", MaxPrompt)
	name := strings.Repeat("ß", MaxDisplayName)
	i := validation{providers: offered}
	i.config(config)
	i.names(strings.Repeat("a", 100), &name)
	if len(i.Faults) > 0 {
		t.Errorf("texts at their limits: %v", i.Faults)
	}
	config.Prompt.System += "x"
	config.Prompt.Greeting = config.Prompt.System
	config.TTS.VoiceID = strings.Repeat("v", MaxVoiceID+1)
	config.Tools = make([]string, MaxListed+1)
	name += "x"
	i.names(strings.Repeat("a", 101), &name)
	i.config(config)
	want := []string{"name", "display_name", "config.prompt.system", "config.prompt.greeting", "config.tts.voice_id", "config.tools"}
	if d := cmp.Diff(want, paths(i.Faults)); d != "" {
		t.Errorf("texts over their limits (-want +got):\n%s", d)
	}
}

func TestNames(t *testing.T) {
	for name, valid := range map[string]bool{
		"a": true, "0": true, "front-desk_2": true, strings.Repeat("a", 100): true,
		"": false, "-a": false, "_a": false, "A": false, "a b": false, "a.b": false, "é": false, "a\n": false, strings.Repeat("a", 101): false,
	} {
		if nameForm.MatchString(name) != valid {
			t.Errorf("%q is a name: %v", name, !valid)
		}
	}
}

func TestFaultsNameTheChoices(t *testing.T) {
	i := inspect(t, strings.Replace(sound, `"brain"`, `"cortex"`, 1))
	if len(i.Faults) != 1 || i.Faults[0].Message != "must be one of brain, offline" {
		t.Errorf("got %v", i.Faults)
	}
}

func TestUnknownModelsAreWarnings(t *testing.T) {
	i := inspect(t, strings.NewReplacer(`"ear-1"`, `"ear-2"`, `"brain-1"`, `"org/brain:9.b"`).Replace(sound))
	if len(i.Faults) != 0 {
		t.Errorf("faults: %v", i.Faults)
	}
	want := []string{"config.stt.model: ear-2 is not among the models known of ear", "config.llm.model: org/brain:9.b is not among the models known of brain"}
	if d := cmp.Diff(want, i.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

func TestUnknownVoiceModelsAreWarnings(t *testing.T) {
	i := inspect(t, strings.Replace(sound, `"v1"`, `"v1", "model": "mouth-9", "fallback": {"provider": "mouth", "model": "brain-0", "voice_id": "v2"}`, 1))
	want := []string{"config.tts.model: mouth-9 is not among the models known of mouth", "config.tts.fallback.model: mouth switches brain-0 off on 2027-01-14"}
	if d := cmp.Diff(want, i.Warnings); d != "" || len(i.Faults) != 0 {
		t.Errorf("faults %v, warnings (-want +got):\n%s", i.Faults, d)
	}
}

func TestModelsThatEndAreWarnings(t *testing.T) {
	i := inspect(t, strings.Replace(sound, `"brain-1"`, `"brain-0"`, 1))
	if want := []string{"config.llm.model: brain switches brain-0 off on 2027-01-14"}; len(i.Faults) != 0 || !slices.Equal(i.Warnings, want) {
		t.Errorf("faults %v, warnings %v", i.Faults, i.Warnings)
	}
}

func TestSettingsThatAModelDoesNotTakeAreWarnings(t *testing.T) {
	i := inspect(t, strings.Replace(sound, `"model": "brain-1"`, `"model": "brain-1", "reasoning_effort": "high", "temperature": 0.5`, 1))
	if want := []string{"config.llm.reasoning_effort: brain takes no reasoning_effort: not sent"}; len(i.Faults) != 0 || !slices.Equal(i.Warnings, want) {
		t.Errorf("faults %v, warnings %v", i.Faults, i.Warnings)
	}
}

// words is an object of so many words.
func words(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"w%d": "x"`, i))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestSettingsOfModelsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		`"model": "brain-1", "reasoning_effort": "much"`:                                "config.llm.reasoning_effort",
		`"model": "ear-1", "key_terms": ["Parley", " "]`:                                "config.stt.key_terms[1]",
		`"model": "ear-1", "key_terms": ["` + strings.Repeat("x", 101) + `"]`:           "config.stt.key_terms[0]",
		`"voice_id": "v1", "emotion": "Very calm"`:                                      "config.tts.emotion",
		`"voice_id": "v1", "text_normalization": "yes"`:                                 "config.tts.text_normalization",
		`"voice_id": "v1", "pronunciations": {"Nguyen": " "}`:                           "config.tts.pronunciations.Nguyen",
		`"voice_id": "v1", "pronunciations": {" Nguyen": "win"}`:                        "config.tts.pronunciations",
		`"voice_id": "v1", "pronunciations": {"x": "` + strings.Repeat("y", 201) + `"}`: "config.tts.pronunciations.x",
		`"voice_id": "v1", "pronunciations": {"` + strings.Repeat("y", 101) + `": "x"}`: "config.tts.pronunciations",
		`"voice_id": "v1", "pronunciations": ` + words(501):                             "config.tts.pronunciations",
	} {
		first, _, _ := strings.Cut(text, ",")
		i := inspect(t, strings.Replace(sound, first, text, 1))
		if len(i.Faults) != 1 || i.Faults[0].Field != want {
			t.Errorf("%s: %v, want one of %s", text, i.Faults, want)
		}
	}
}

// A recogniser's fallback expects the same words.
func TestFallbacksHaveTheKeyTerms(t *testing.T) {
	c := configOf(t, strings.Replace(sound, `"model": "ear-1"`, `"model": "ear-1", "key_terms": ["Parley"], "fallback": {"provider": "ear", "model": "ear-1"}`, 1))
	if choices := c.STT.Choices(); len(choices) != 2 || !slices.Equal(choices[1].KeyTerms, []string{"Parley"}) {
		t.Errorf("%+v", choices)
	}
}

func TestModelsThatCannotBeUsedAreWarnings(t *testing.T) {
	i := inspect(t, strings.Replace(sound, `"model": "brain-1"`, `"model": "high"`, 1))
	if want := []string{"config.llm.model: brain takes no model: not sent"}; len(i.Faults) != 0 || !slices.Equal(i.Warnings, want) {
		t.Errorf("faults %v, warnings %v", i.Faults, i.Warnings)
	}
}

func TestUnknownLanguagesAreWarnings(t *testing.T) {
	i := inspect(t, strings.Replace(sound, `"ear-1"`, `"ear-1", "language": "tlh"`, 1))
	if len(i.Faults) != 0 || len(i.Warnings) != 1 || !strings.HasPrefix(i.Warnings[0], "config.stt.language: ") {
		t.Errorf("faults %v, warnings %v", i.Faults, i.Warnings)
	}
	i = inspect(t, strings.Replace(sound, `{`, `{"default_language": "tlh", `, 1))
	if len(i.Faults) != 0 || len(i.Warnings) != 2 || !strings.HasPrefix(i.Warnings[0], "config.default_language: ") {
		t.Errorf("faults %v, warnings %v", i.Faults, i.Warnings)
	}
}

func TestUnknownVoicesAreWarnings(t *testing.T) {
	i := inspect(t, strings.Replace(sound, `"voice_id": "v1"`, `"voice_id": "nobody"`, 1))
	if len(i.Faults) != 0 || len(i.Warnings) != 1 || !strings.HasPrefix(i.Warnings[0], "config.tts.voice_id: ") {
		t.Errorf("faults %v, warnings %v", i.Faults, i.Warnings)
	}
}

func TestSettingsOfTurnTakingAreChecked(t *testing.T) {
	i := validation{providers: offered, turn: func(json.RawMessage) []fault.Detail {
		return []fault.Detail{{Field: "pause_after_ms", Message: "must be a number"}}
	}}
	i.config(configOf(t, strings.TrimSuffix(sound, "}")+`, "turn": {"pause_after_ms": "x"}}`))
	if d := cmp.Diff([]string{"config.turn.pause_after_ms"}, paths(i.Faults)); d != "" {
		t.Errorf("faults (-want +got):\n%s", d)
	}
}

func paths(details []fault.Detail) (paths []string) {
	for _, d := range details {
		paths = append(paths, d.Field)
	}
	return paths
}

// References that can never lead anywhere are accepted with a warning that names
// the field, what was written and what is possible.
func TestReferencesThatLeadNowhere(t *testing.T) {
	const possible = "paths start with user, call, workflow, flags, vars, now, today, prompt"
	with := func(more string) string { return strings.TrimSuffix(sound, "}") + "," + more + "}" }
	prompt := func(text string) string { return strings.Replace(sound, "You are kind.", text, 1) }
	for _, test := range []struct {
		name, config string
		want         []string
	}{
		{"sound", strings.Replace(with(`"handoffs":[{"target_agent":"b","condition":"flags.x and len(user) > 0","context_pass":["order","workflow.name"]}],"turn":{"silence_prompt":"Are you there, {{user.name}}?","budget_ms":100}`),
			"You are kind.", `{{user}} {{ user.orders[0].id }} {{workflow.x}} {{flags.y}} {{prompt.tone}} {{prompt.tone.warm}} {\"a\":{\"b\":1}} {{{user.name}}} { {x} }`, 1), nil},
		{"unknown sources", prompt("{{worklow.x}} {{nosuch.path}} {{name}} {{ worklow.x }} {{Prompt.tone}}"), []string{
			"config.prompt.system: worklow.x leads nowhere: " + possible + "; did you mean workflow.x?",
			"config.prompt.system: nosuch.path leads nowhere: " + possible,
			"config.prompt.system: name leads nowhere: " + possible,
			"config.prompt.system: Prompt.tone leads nowhere: " + possible + "; did you mean prompt.tone?",
		}},
		{"sources of tools", strings.Replace(sound, "Hello {{user.name}}", "{{params.x}} {{result.y}} {{prompt}}", 1), []string{
			"config.prompt.greeting: params.x leads nowhere here: only the actions of a tool have params; " + possible,
			"config.prompt.greeting: result.y leads nowhere here: only the actions of a tool that follow an api_call have result; " + possible,
			"config.prompt.greeting: prompt leads nowhere: name a template of the library, as in prompt.<slug>",
		}},
		{"no paths", prompt("{{user name}} {{#if user.vip}} {{}} {{user name}} {{user.name"), []string{
			"config.prompt.system: {{user name}} holds no path and stays as it is: write one such as {{user.name}}",
			"config.prompt.system: {{#if user.vip}} holds no path and stays as it is: write one such as {{user.name}}",
			"config.prompt.system: {{}} holds no path and stays as it is: write one such as {{user.name}}",
			"config.prompt.system: {{ without }} stays as it is",
		}},
		{"settings of turn-taking", with(`"turn":{"silence_prompt":"{{usr.name}}?"}`), []string{"config.turn.silence_prompt: usr.name leads nowhere: " + possible + "; did you mean user.name?"}},
		{"what is not filled in", strings.Replace(sound, `"v1"`, `"{{user.voice}}","fallback":{"provider":"mouth","voice_id":"{{user.voice}}"}`, 1), []string{
			"config.tts.voice_id: {{ }} is not filled in here: the text is used as it is written",
			"config.tts.fallback.voice_id: {{ }} is not filled in here: the text is used as it is written",
		}},
		{"handoffs", with(`"handoffs":[{"target_agent":"b","condition":"params.x or user","context_pass":["order","{{user.name}}","worklow.order"]}]`), []string{
			"config.handoffs[0].condition: params.x leads nowhere here: only the actions of a tool have params; paths start with user, call, workflow, flags, vars, now, today",
			"config.handoffs[0].condition: user is all of user, not a path in it: write user.<name>",
			"config.handoffs[0].context_pass[1]: {{user.name}} can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; every agent sees user, call and flags anyway",
			"config.handoffs[0].context_pass[2]: worklow.order can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; did you mean workflow.order?",
		}},
	} {
		i := inspect(t, test.config)
		if d := cmp.Diff(test.want, i.Warnings); d != "" || len(i.Faults) > 0 {
			t.Errorf("%s: faults %v, warnings (-want +got):\n%s", test.name, i.Faults, d)
		}
	}
	var many strings.Builder
	for n := range 50 {
		fmt.Fprintf(&many, "{{x%d.y}}", n)
	}
	if i := inspect(t, prompt(many.String())); len(i.Warnings) != 21 || i.Warnings[20] != "config.prompt.system: and 30 more like these" {
		t.Errorf("%d warnings, the last %q", len(i.Warnings), i.Warnings[len(i.Warnings)-1])
	}
	i := inspect(t, with(`"handoffs":[{"target_agent":"b","condition":"worklow.x > 1"}]`))
	if want := "names worklow, but a condition sees only user, call, workflow, flags, vars, now, today; did you mean workflow?"; len(i.Faults) != 1 || i.Faults[0].Message != want {
		t.Errorf("faults %v, want %q", i.Faults, want)
	}
}

// The size of a configuration is limited, and so is that of the settings of turn-taking.
func TestConfigIsBounded(t *testing.T) {
	faulty := func(i validation, path, part string) bool {
		return slices.ContainsFunc(i.Faults, func(d fault.Detail) bool { return d.Field == path && strings.Contains(d.Message, part) })
	}
	inspected := func(c Config) (i validation) {
		i = validation{providers: catalogue{}}
		i.config(c)
		return i
	}
	var c Config
	c.Turn = json.RawMessage(`{"silence_prompt":"` + strings.Repeat("x", MaxTurn) + `"}`)
	if !faulty(inspected(c), "config.turn", "at most 65536 are allowed") {
		t.Error("settings of turn-taking over 64 KiB")
	}
	c = Config{}
	for n := range 100 {
		h := Handoff{TargetAgent: "a"}
		for range 100 {
			h.ContextPass = append(h.ContextPass, strings.Repeat("k", 110)+fmt.Sprint(n))
		}
		c.Handoffs = append(c.Handoffs, h)
	}
	if !faulty(inspected(c), "config", "limit agent_config") {
		t.Error("a configuration over 1 MiB")
	}
}

func TestDTMFRules(t *testing.T) {
	for given, want := range map[string]string{
		`{}`: "", `{"enabled":false,"max_digits":64,"end":"","timeout_ms":0,"interrupts":false}`: "", `{"end":"*"}`: "", `{"end":"D"}`: "",
		`{"max_digits":0}`: "config.dtmf.max_digits", `{"max_digits":65}`: "config.dtmf.max_digits", `{"end":"##"}`: "config.dtmf.end", `{"end":"x"}`: "config.dtmf.end",
		`{"timeout_ms":-1}`: "config.dtmf.timeout_ms", `{"timeout_ms":60001}`: "config.dtmf.timeout_ms",
	} {
		c := configOf(t, sound)
		if err := json.Unmarshal([]byte(given), &c.DTMF); err != nil {
			t.Fatal(err)
		}
		i := validation{providers: offered}
		i.config(c)
		got := ""
		if len(i.Faults) > 0 {
			got = i.Faults[0].Field
		}
		if got != want {
			t.Errorf("%s: fault at %q, want %q", given, got, want)
		}
	}
}
