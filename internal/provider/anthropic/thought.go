package anthropic

import (
	"encoding/json"

	"parley/internal/provider/llm"
)

// thought is a block of thinking. With the results of the calls that follow it, it is sent back unchanged: its signature is over its
// text, which is empty where the vendor leaves it out (https://platform.claude.com/docs/en/build-with-claude/thinking).
type thought struct {
	index     int64
	Type      string
	Text      string
	Signature string
	Data      string
}

// thoughts are the blocks of an answer.
type thoughts []*thought

// add adds to the block at an index.
func (t thoughts) add(index int64, text, signature string) {
	for _, one := range t {
		if one.index == index {
			one.Text += text
			one.Signature += signature
		}
	}
}

// blocks returns the complete blocks as they are sent back.
func (t thoughts) blocks() (list []json.RawMessage) {
	for _, one := range t {
		fields := map[string]string{"type": one.Type, "thinking": one.Text, "signature": one.Signature}
		if one.Type == "redacted_thinking" {
			fields = map[string]string{"type": one.Type, "data": one.Data}
		} else if one.Signature == "" {
			continue // broken off
		}
		if block, err := llm.JSON(fields); err == nil {
			list = append(list, block)
		}
	}
	return list
}
