package llm

import (
	"context"
	"errors"
	"iter"

	"parley/internal/dialogue"
)

// Emit delivers a delta of the answer. Its error cancels the answer, which returns it unchanged.
type Emit func(dialogue.Delta) error

var errAbandoned = errors.New("the receiver of the answer wants no more of it")

// Generate implements dialogue.LanguageModel.Generate over one exchange: answer sends the request and emits the
// response.
func Generate(ctx context.Context, a Account, answer func(*Exchange, Emit) error) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		x := begin(ctx, a)
		defer x.end()
		err := answer(x, func(d dialogue.Delta) error {
			x.recordText(d.Text)
			if !yield(d, nil) {
				return errAbandoned
			}
			return nil
		})
		switch {
		case errors.Is(err, errAbandoned):
		case ctx.Err() != nil:
			yield(dialogue.Delta{}, ctx.Err())
		case err != nil:
			yield(dialogue.Delta{}, err)
		}
	}
}
