package generation

import (
	"strings"
	"testing"

	"parley/internal/dialogue"
)

// Of the results of tools the newest stay.
func TestOldResultsAreForgotten(t *testing.T) {
	result := func(text string) dialogue.Message { return dialogue.Message{Role: dialogue.RoleTool, Content: text} }
	long := strings.Repeat("x", 400)
	history := []dialogue.Message{result(long), {Role: dialogue.RoleUser, Content: long}, result(long), result("short"), result(long)}
	if !forgetResults(history, 1000) || history[0].Content != forgotten || history[1].Content != long || history[2].Content != long || history[4].Content != long {
		t.Errorf("history %v", history)
	}
	if forgetResults(history, 1000) {
		t.Error("forgotten again")
	}
	if forgetResults(history[4:], 10) {
		t.Error("the last result is forgotten")
	}
}
