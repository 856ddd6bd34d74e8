package contract

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
)

const eventStream = "text/event-stream"

// firstMessages reads the first two messages of a stream, or all of one that is closed, as the description has them: an
// array of objects with id, event and data.
func firstMessages(stream io.Reader) ([]byte, error) {
	messages := []object{}
	message := object{}
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 1<<20)
	for len(messages) < 2 && lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "":
			if len(message) > 0 {
				messages = append(messages, message)
			}
			message = object{}
		case "data":
			message[field] = json.RawMessage(value)
		default:
			message[field] = value
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(messages)
}
