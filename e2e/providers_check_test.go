package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// checkProviders runs `parley providers check` and returns what it printed and its exit code.
func checkProviders(t *testing.T, settings map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, append([]string{"providers", "check"}, args...)...)
	command.Env = []string{"PATH=/usr/bin:/bin"}
	for name, value := range settings {
		command.Env = append(command.Env, name+"="+value)
	}
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	err := command.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), log.String(), command.ProcessState.ExitCode()
}

// openingHours calls the offered tool, and answers with its result.
func openingHours(_ string, p dialogue.Prompt) emulator.Reply {
	if p.Messages[len(p.Messages)-1].Role == dialogue.RoleTool {
		return emulator.Reply{Text: "We open at ten."}
	}
	if len(p.Tools) == 0 { // speech to speech
		return emulator.Reply{Text: "Good morning."}
	}
	return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: p.Tools[0].Name, Arguments: json.RawMessage(`{"day":"Sunday"}`)}}}
}

// TestProvidersCheck: every vendor recognises, speaks or calls a tool with a model of each family, and rejections are reported
// with the vendor's message.
func TestProvidersCheck(t *testing.T) {
	sentence := []string{"Good morning, what are your opening hours?"}
	v := newVendors(t, script{heard: map[string][]string{"deepgram": sentence, "assemblyai": sentence}, answers: openingHours})

	// OpenAI's recognition and voices are not among the emulated vendors.
	withoutOpenAI, tried := v.settings(keyOf), map[string]int{}
	delete(withoutOpenAI, "OPENAI_API_KEY")
	stderr := ""
	for _, run := range []struct {
		settings map[string]string
		args     []string
	}{{withoutOpenAI, nil}, {v.settings(keyOf), []string{"--provider", "openai", "--kind", "llm"}}} {
		stdout, log, code := checkProviders(t, run.settings, append(run.args, "--json")...)
		stderr = log
		var report struct {
			Results []struct {
				Kind, Provider, Model, Outcome, Message string
				FirstMS                                 int64 `json:"first_ms"`
			}
		}
		if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v: %s\n%s", code, err, stdout, log)
		}
		for _, r := range report.Results {
			tried[r.Provider]++
			if r.Outcome != "ok" || r.FirstMS == 0 {
				t.Errorf("%+v", r)
			}
		}
	}
	if names := slices.Sorted(maps.Keys(tried)); strings.Join(names, " ") != "anthropic assemblyai cartesia deepgram elevenlabs google openai" || tried["openai"] < 2 || tried["anthropic"] < 4 {
		t.Errorf("tried %v", tried)
	}
	if !regexp.MustCompile(`costs at most about US\$[0-9]+\.[0-9]{2}\.`).MatchString(stderr) {
		t.Errorf("the costs are not said: %s", stderr)
	}

	settings := v.settings(keyOf)
	settings["CARTESIA_API_KEY"] = "another-key"
	stdout, stderr, code := checkProviders(t, settings, "--provider", "cartesia")
	if code != 1 || !regexp.MustCompile(`tts +cartesia +sonic-3 +refused .*The API key is invalid`).MatchString(stdout) || strings.Contains(stdout+stderr, "another-key") {
		t.Errorf("exit code %d: %s\n%s", code, stdout, stderr)
	}
	if stdout, stderr, code = checkProviders(t, nil); code != 1 || stdout != "" || !strings.Contains(stderr, "no provider has a key") {
		t.Errorf("without keys: exit code %d: %s\n%s", code, stdout, stderr)
	}
	if _, stderr, code = checkProviders(t, nil, "--provider", "openai"); code != 1 || !strings.Contains(stderr, "OPENAI_API_KEY") {
		t.Errorf("without its key: exit code %d: %s", code, stderr)
	}
}
