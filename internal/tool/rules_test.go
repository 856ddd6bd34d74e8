package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sound = `{"parameters":[{"name":"order_id","type":"string","required":true,"description":"As on the invoice.","enum":["a","b"],"default":"b"},
		{"name":"count","type":"integer","required":false,"default":2}],
	"actions":[{"type":"api_call","url":"https://api.example.com/orders/{{params.order_id}}?q={{user.name}}","method":"POST",
		"headers":{"Authorization":"Bearer {{user.auth_token}}"},"body":{"n":1.50,"deep":[{"id":"{{params.order_id}}"}]},"timeout":15,"retry_count":2,
		"on_success":[{"type":"set_context","key":"order","value":{"id":"{{result.id}}"}},{"type":"respond","message":"Found {{result.name}}"}],
		"on_failure":[{"type":"set_flag","name":"failed"},{"type":"handoff","target_agent":"billing"}]},
		{"type":"send_dtmf","digits":"1w22#"},{"type":"transfer_call","phone_number":"{{user.phone}}","message":"One moment"},{"type":"end_call"}]}`

func configOf(t *testing.T, text string) (c Config) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	c.tidy()
	return c
}

func inspect(t *testing.T, config string) (faults, warnings []string) {
	t.Helper()
	var i validation
	c := configOf(t, config)
	i.tool("look_up", nil, &c)
	for _, f := range i.Faults {
		faults = append(faults, strings.TrimPrefix(f.Field, "config."))
	}
	return faults, i.Warnings
}

func TestSoundToolHasNoFault(t *testing.T) {
	faults, warnings := inspect(t, sound)
	if len(faults)+len(warnings) > 0 {
		t.Errorf("faults %v, warnings %v", faults, warnings)
	}
	if faults, _ := inspect(t, `{}`); len(faults) > 0 {
		t.Errorf("an empty configuration: %v", faults)
	}
}

// A configuration over 64 KiB is refused without a look at what it holds.
func TestConfigIsBounded(t *testing.T) {
	config := func(messages int) string {
		action := `{"type":"respond","message":"` + strings.Repeat("{{params.x}}", 300) + `"}`
		return `{"actions":[` + strings.TrimSuffix(strings.Repeat(action+",", messages), ",") + `]}`
	}
	if faults, _ := inspect(t, config(17)); len(faults) > 0 {
		t.Errorf("%d bytes: %v", len(config(17)), faults)
	}
	for _, c := range []string{config(19), `{"actions":[{"type":"api_call","url":"http://x.example/","body":{"a":"` + strings.Repeat("{{params.x}}", 60_000) + `"}}]}`} {
		var i validation
		parsed := configOf(t, c)
		i.tool("look_up", nil, &parsed)
		if len(i.Faults) != 1 || i.Faults[0].Field != "config" || !strings.Contains(i.Faults[0].Message, "tool_config") || len(i.Warnings) > 0 {
			t.Errorf("%d bytes: %v, %d warnings", len(c), i.Faults, len(i.Warnings))
		}
	}
}

func TestParameterRules(t *testing.T) {
	for parameters, want := range map[string]string{
		`[{}]`:                         "parameters[0].name parameters[0].type",
		`[{"name":"9","type":"text"}]`: "parameters[0].name parameters[0].type",
		`[{"name":"a","type":"string"},{"name":"a","type":"number"}]`:                      "parameters[1].name",
		`[{"name":"a","type":"string","default":1}]`:                                       "parameters[0].default",
		`[{"name":"a","type":"string","default":"x","enum":["y"]}]`:                        "parameters[0].default",
		`[{"name":"a","type":"string","default":"y","enum":["x","y"]}]`:                    "",
		`[{"name":"a","type":"string","enum":[]}]`:                                         "parameters[0].enum",
		`[{"name":"a","type":"string","enum":["x",1,null,"x"]}]`:                           "parameters[0].enum[1] parameters[0].enum[2] parameters[0].enum[3]",
		`[{"name":"a","type":"integer","default":1.5}]`:                                    "parameters[0].default",
		`[{"name":"a","type":"integer","default":2.0,"enum":[2,-3]}]`:                      "",
		`[{"name":"a","type":"number","enum":[1,1.0]}]`:                                    "parameters[0].enum[1]",
		`[{"name":"a","type":"number","default":-1.5e3}]`:                                  "",
		`[{"name":"a","type":"boolean","default":"true"}]`:                                 "parameters[0].default",
		`[{"name":"a","type":"boolean","default":false}]`:                                  "",
		`[{"name":"a","type":"object","default":[]}]`:                                      "parameters[0].default",
		`[{"name":"a","type":"object","default":{"x":1},"enum":[{"x":1},{ "x" : 1 }]}]`:    "parameters[0].enum[1]",
		`[{"name":"a","type":"array","default":{}}]`:                                       "parameters[0].default",
		`[{"name":"a","type":"array","default":null}]`:                                     "",
		`[{"name":"a","type":"string","description":"` + strings.Repeat("x", 2001) + `"}]`: "parameters[0].description",
	} {
		faults, _ := inspect(t, `{"parameters":`+parameters+`}`)
		if got := strings.Join(faults, " "); got != want {
			t.Errorf("%.200s: faults in %q, want %q", parameters, got, want)
		}
	}
}

func TestActionRules(t *testing.T) {
	for action, want := range map[string]string{
		`{}`:                               "type",
		`{"type":"explode"}`:               "type",
		`{"type":"api_call"}`:              "url",
		`{"type":"set_flag","value":true}`: "name",
		`{"type":"set_context"}`:           "key value",
		`{"type":"set_context","key":"a","value":null}`:                                                                                "value",
		`{"type":"handoff"}`:                                                                                                           "target_agent",
		`{"type":"handoff","target_agent":"Not OK"}`:                                                                                   "target_agent",
		`{"type":"transfer_call"}`:                                                                                                     "phone_number",
		`{"type":"transfer_call","phone_number":"030 1234"}`:                                                                           "phone_number",
		`{"type":"transfer_call","phone_number":"+4930123456"}`:                                                                        "",
		`{"type":"send_dtmf","digits":"12x"}`:                                                                                          "digits",
		`{"type":"send_dtmf","digits":"{{params.pin}}#"}`:                                                                              "",
		`{"type":"respond"}`:                                                                                                           "message",
		`{"type":"end_call","url":"https://a.example"}`:                                                                                "url",
		`{"type":"respond","message":"` + strings.Repeat("x", 4001) + `"}`:                                                             "message",
		`{"type":"api_call","url":"https://a.example","method":"get"}`:                                                                 "method",
		`{"type":"api_call","url":"https://a.example","timeout":0,"retry_count":6}`:                                                    "timeout retry_count",
		`{"type":"api_call","url":"https://a.example","timeout":61,"retry_count":-1}`:                                                  "timeout retry_count",
		`{"type":"api_call","url":"https://a.example","timeout":60,"retry_count":5}`:                                                   "",
		`{"type":"api_call","url":"https://a.example","required":["user.id","workflow.a.b"]}`:                                          "",
		`{"type":"api_call","url":"https://a.example","required":["{{user.id}}","", "a b"]}`:                                           "required[0] required[1] required[2]",
		`{"type":"respond","message":"a","required":["user.id"]}`:                                                                      "required",
		`{"type":"api_call","url":"https://a.example","body":[]}`:                                                                      "body",
		`{"type":"api_call","url":"https://a.example","body":null}`:                                                                    "",
		`{"type":"api_call","url":"https://a.example","body":{"a":[{"b":"{{ user. }}"}]}}`:                                             "body.a[0].b",
		`{"type":"api_call","url":"https://a.example","headers":{"A B":"x","Host":"x","X-A":"a\r\nB: c","X-N":"\u0000","x-t":"{{}}"}}`: "headers.A B headers.Host headers.X-A headers.X-N headers.x-t",
		`{"type":"api_call","url":"https://a.example","headers":{"X-A":"1","x-a":"2"}}`:                                                "headers.x-a",
		`{"type":"api_call","url":"https://a.example","on_success":[{"type":"respond"}],"on_failure":[{"type":"no"}]}`:                 "on_success[0].message on_failure[0].type",
		`{"type":"set_flag","name":"a.b"}`:                                                                                             "name",
		`{"type":"set_flag","name":"a","value":{"x":"{{oops"}}`:                                                                        "value.x",
	} {
		faults, _ := inspect(t, `{"actions":[`+action+`]}`)
		for n := range faults {
			faults[n] = strings.TrimPrefix(faults[n], "actions[0].")
		}
		if got := strings.Join(faults, " "); got != want {
			t.Errorf("%.200s: faults in %q, want %q", action, got, want)
		}
	}
}

func TestURLRules(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://a.example": true, "http://127.0.0.1:8080/{{params.a}}": true, "HTTPS://a.example/x?y={{user.z}}#f": true, "https://[::1]:9/": true,
		"https://a.example?{{params.a}}": true,
		"ftp://a.example":                false, "a.example/x": false, "{{user.url}}": false, "https://{{user.host}}/": false, "https://a.{{user.b}}": false,
		"https://a.example:{{user.port}}/": false, "{{user.scheme}}://a.example": false, "https://u:p@a.example/": false, "https://": false,
		"https:///x": false, "https://a b/": false, "https://a.example/{{user}": false, "https://a.example\\@b.example/": false, "javascript:alert(1)": false,
		"https://a.example/" + strings.Repeat("x", 4096): false,
	} {
		text, err := json.Marshal(url)
		if err != nil {
			t.Fatal(err)
		}
		if faults, _ := inspect(t, fmt.Sprintf(`{"actions":[{"type":"api_call","url":%s}]}`, text)); (len(faults) == 0) != ok {
			t.Errorf("%.60s: faults in %v", url, faults)
		}
	}
}

// A reference may have a default in all texts of an action.
func TestDefaultsInActions(t *testing.T) {
	for text, ok := range map[string]bool{
		`{{user.name | 'there'}}`: true, `{{ params.a | \"b c\" }}`: true, `Hello {{user.name | 'there'}}, {{call.id}}`: true,
		`{{user.name | there}}`: false, `{{user.name | }}`: false, `{{ | 'x'}}`: false, `{{'x'}}`: false,
	} {
		faults, warnings := inspect(t, `{"parameters":[{"name":"a","type":"string"}],"actions":[{"type":"respond","message":"`+text+`"},
			{"type":"api_call","method":"POST","url":"https://a.example/`+text+`","headers":{"X-A":"`+text+`"},"body":{"a":"`+text+`"}}]}`)
		if (len(faults) == 0) != ok || len(warnings) != 0 {
			t.Errorf("%s: faults in %v, warnings %v", text, faults, warnings)
		}
	}
}

func TestFillerRules(t *testing.T) {
	for config, want := range map[string]int{
		`{}`: 0, `{"filler":""}`: 0, `{"filler":"Let me look."}`: 0, `{"filler":"` + strings.Repeat("é", 500) + `"}`: 0,
		`{"filler":"` + strings.Repeat("é", 501) + `"}`: 1, `{"filler":"a\u0000"}`: 1,
	} {
		if faults, _ := inspect(t, config); len(faults) != want {
			t.Errorf("%.40s: faults in %v", config, faults)
		}
	}
}

func TestOnWaitRules(t *testing.T) {
	for config, want := range map[string]string{
		`{"on_wait":{"text":["I look for {{params.a}}."],"after_ms":200},"parameters":[{"name":"a","type":"string"}]}`: "",
		`{"on_wait":{"text":[]}}`:                                       "on_wait.text",
		`{"on_wait":{"text":[" "]}}`:                                    "on_wait.text[0]",
		`{"on_wait":{"text":["a","` + strings.Repeat("é", 501) + `"]}}`: "on_wait.text[1]",
		`{"on_wait":{"text":["{{a b}}"]}}`:                              "on_wait.text[0]",
		`{"on_wait":{"text":["a"],"after_ms":199}}`:                     "on_wait.after_ms",
		`{"on_wait":{"text":["a"],"after_ms":30001}}`:                   "on_wait.after_ms",
		`{"on_wait":{"text":["a"]},"filler":""}`:                        "on_wait",
		`{"on_wait":{"text":["a"]},"async":true}`:                       "on_wait",
		`{"async":true,"actions":[{"type":"respond","message":"a"}]}`:   "",
		`{"async":true,"actions":[{"type":"api_call","url":"https://a.example","on_failure":[{"type":"end_call"}]}]}`: "async",
		`{"async":true,"actions":[{"type":"handoff","target_agent":"a"}]}`:                                            "async",
	} {
		if faults, _ := inspect(t, config); strings.Join(faults, " ") != want {
			t.Errorf("%.60s: faults in %v, want %q", config, faults, want)
		}
	}
}

func TestActionsAreBounded(t *testing.T) {
	list := func(n int, action string) string {
		return "[" + strings.Join(slices.Repeat([]string{action}, n), ",") + "]"
	}
	nested := `[{"type":"end_call"}]`
	for range 4 {
		nested = `[{"type":"api_call","url":"https://a.example","on_success":` + nested + `}]`
	}
	wide := `{"type":"api_call","url":"https://a.example","on_success":` + list(20, `{"type":"end_call"}`) + `}`
	for actions, want := range map[string]string{
		list(20, `{"type":"end_call"}`): "", list(21, `{"type":"end_call"}`): "actions",
		nested:        "actions[0].on_success[0].on_success[0].on_success[0].on_success",
		list(4, wide): "", list(5, wide): "actions[4].on_success",
	} {
		faults, _ := inspect(t, `{"actions":`+actions+`}`)
		if got := strings.Join(faults, " "); got != want {
			t.Errorf("%.100s: faults in %q, want %q", actions, got, want)
		}
	}
	if faults, _ := inspect(t, `{"parameters":`+list(101, `{"name":"a","type":"string"}`)+`}`); !slices.Equal(faults, []string{"parameters"}) {
		t.Errorf("101 parameters: %v", faults)
	}
}

func TestWarnings(t *testing.T) {
	_, warnings := inspect(t, `{"parameters":[{"name":"a","type":"string"}],"filler":"One moment, {{user.name}}.","actions":[
		{"type":"respond","message":"{{params.a}} {{params.b.c}} {{caller.id}} {{ user.orders[0].id }} {{params}}"},
		{"type":"respond","message":"{{worklow.id}} {{result.id}} {{prompt}}"},
		{"type":"api_call","url":"https://api.example.com/{{result.id}}","on_success":[{"type":"respond","message":"{{result.id}} {{resutl.id}}"}],
			"on_failure":[{"type":"api_call","url":"https://api.example.com/{{result.id}}"},{"type":"respond","message":"{{result.error}}"}]},
		{"type":"respond","message":"{{result.id}}"}]}`)
	want := []string{
		"config.filler: {{ }} is not filled in here: the text is used as it is written",
		"config.actions[0].message: there is no parameter b",
		"config.actions[0].message: caller.id leads nowhere: paths start with user, call, params, workflow, flags, vars, now, today, prompt",
		"config.actions[1].message: worklow.id leads nowhere: paths start with user, call, params, workflow, flags, vars, now, today, prompt; did you mean workflow.id?",
		"config.actions[1].message: result.id leads nowhere here: only the actions of a tool that follow an api_call have result; paths start with user, call, params, workflow, flags, vars, now, today, prompt",
		"config.actions[1].message: prompt leads nowhere: name a template of the library, as in prompt.<slug>",
		"config.actions[2].url: result.id leads nowhere here: only the actions of a tool that follow an api_call have result; paths start with user, call, params, workflow, flags, vars, now, today, prompt, secrets",
		"config.actions[2].on_success[0].message: resutl.id leads nowhere: paths start with user, call, params, workflow, flags, result, vars, now, today, prompt; did you mean result.id?",
	}
	if d := cmp.Diff(want, warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

func TestSchema(t *testing.T) {
	for config, want := range map[string]string{
		`{}`: `{"type":"object","properties":{},"required":[],"additionalProperties":false}`,
		`{"parameters":[{"name":"z","type":"string","required":true,"description":"Say \"z\"","enum":["a"]},{"name":"a","type":"array"},{"name":"n-1","type":"integer","default":10000000000000001}]}`: `{"type":"object","properties":{"z":{"type":"string","description":"Say \"z\"","enum":["a"]},"a":{"type":"array","items":{}},"n-1":{"type":"integer","default":10000000000000001}},"required":["z"],"additionalProperties":false}`,
	} {
		got, err := Schema(configOf(t, config))
		if err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	}
}
