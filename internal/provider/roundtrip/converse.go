package roundtrip

import (
	"context"
	"errors"
	"time"

	"parley/internal/dialogue"
)

// converse has a speech-to-speech model answer a written question. It returns the time to the first sound.
func converse(ctx context.Context, source Source, t Trial) (first time.Duration, err error) {
	model, err := source.RealtimeModel(t.Provider)
	if err != nil {
		return 0, err
	}
	conversation, err := model.Converse(ctx, dialogue.ConversationOptions{Model: t.Model, System: "You answer callers of a shop, in one short sentence."})
	if err != nil {
		return 0, err
	}
	defer conversation.Close()
	began := time.Now()
	conversation.Add(dialogue.Message{Role: dialogue.RoleUser, Content: "Good morning!"})
	response := conversation.Respond(dialogue.ResponseOptions{})
	for {
		select {
		case part, more := <-response.Events():
			switch {
			case more && first == 0 && len(part.PCM) > 0:
				first = time.Since(began)
			case more:
			case response.Err() == nil && first == 0:
				return 0, errors.New("it said nothing")
			default:
				return first, response.Err()
			}
		case <-ctx.Done():
			return first, ctx.Err()
		}
	}
}
