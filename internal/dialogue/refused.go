package dialogue

import (
	"context"
	"errors"
	"fmt"
)

// ErrRefused marks a provider's error that a retry cannot fix: an invalid key, a closed account, a malformed
// request. A rate limit is not one.
var ErrRefused = errors.New("refused by the provider")

// ErrRequestRefused is ErrRefused for the content of one request, where the provider may serve the next.
var ErrRequestRefused = fmt.Errorf("the request is %w", ErrRefused)

// Errors that are a judgement on one turn. The provider works and answers the next one.
var (
	// ErrDeclined marks the error of a model that gave no answer to this prompt: a filter of its vendor stopped it, or what it
	// generated cannot be used. Another attempt may succeed.
	ErrDeclined = errors.New("the model declined to answer")
	// ErrPromptDeclined is ErrDeclined for what the prompt says. Each prompt with the same messages is declined.
	ErrPromptDeclined = fmt.Errorf("%w: the vendor's filter rejected the prompt", ErrDeclined)
	// ErrPromptTooLong marks the error of a prompt that has more tokens than the model takes.
	ErrPromptTooLong = fmt.Errorf("%w: the prompt is too long for the model", ErrRequestRefused)
)

// ErrUnfinished marks the error of an answer that ended, without any other error, before the model marked it as complete.
var ErrUnfinished = errors.New("the answer broke off")

// Checker is a LanguageModel that can verify its key at no cost. Check is called when a caller joins, so that an
// invalid key fails the call before it starts. Only an error that is ErrRefused counts.
type Checker interface {
	Check(ctx context.Context, model string) error
}
