package openai_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/openai"
)

// Check fails only for a rejected key; other problems show in the first request, or are irrelevant.
func TestCheck(t *testing.T) {
	server := emulator.NewOpenAI(t, emulator.Options{Key: "the-key"}, emulator.Script{})
	defer server.Close()
	check := func(key, model string) error {
		wait := time.Minute
		if server.Fault() == emulator.Stall && key == "the-key" { // which it would wait for, forever
			wait = 200 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		var asked dialogue.Checker = openai.New(openai.Options{Key: key, BaseURL: server.URL})
		return asked.Check(ctx, model)
	}
	for _, fault := range []emulator.Fault{emulator.None, emulator.RateLimit, emulator.Broken, emulator.Garbage, emulator.Stall} {
		server.Fail(fault)
		if err := check("the-key", "gpt-4.1"); err != nil {
			t.Errorf("fault %d: %v", fault, err)
		}
		err := check("another-key", "gpt-4.1")
		if !errors.Is(err, dialogue.ErrRefused) || !strings.Contains(err.Error(), "Incorrect API key") || strings.Contains(err.Error(), "another-key") {
			t.Errorf("fault %d, a wrong key: %v", fault, err)
		}
	}
	server.Fail(emulator.None)
	if err := check("the-key", emulator.UnknownModel); err != nil {
		t.Errorf("a model that is not listed: %v", err)
	}
	opened := server.Connections()
	for range 5 {
		if err := check("the-key", "gpt-4.1"); err != nil {
			t.Error(err)
		}
	}
	for _, err := range openai.New(openai.Options{Key: "the-key", BaseURL: server.URL}).Generate(t.Context(), dialogue.Prompt{Model: "gpt-4.1", MaxTokens: 10,
		Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "Hello"}}}) {
		if err != nil {
			t.Error(err)
		}
	}
	if server.Connections() > opened+3 { // one, and others where the machine was too busy to see an answer's end
		t.Errorf("%d connections for five checks and an answer: they are not kept warm", server.Connections()-opened)
	}
}
