package providers

import (
	"context"

	"parley/internal/dialogue"
)

// FurtherRecognition is a recognition besides that of the caller. Both fields are nil if the agent has no recogniser of its own.
type FurtherRecognition struct {
	Recognition dialogue.Recognition
	Err         error
}

// OpenFurtherRecognition opens one of the agent's recognisers a second time, for another person's speech. Its result is sent once, and is the
// receiver's to close.
func (s *Set) OpenFurtherRecognition(ctx context.Context, n AgentSpec) <-chan FurtherRecognition {
	result := make(chan FurtherRecognition, 1)
	if len(n.Config.STT.Choices()) == 0 || n.Config.STT.Provider == "" {
		result <- FurtherRecognition{}
		return result
	}
	o := s.newOpening(n)
	o.old = streams{}
	s.work.Go(func() {
		var a attempts
		_, recognition := o.openRecognition(ctx, &a)
		result <- FurtherRecognition{recognition, a.err}
	})
	return result
}
