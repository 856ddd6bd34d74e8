package generation

import (
	"errors"
	"slices"

	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
)

// maxSkipped is how many texts in a row a voice may refuse before it counts as failed.
const maxSkipped = 2

// skipRefusedText leaves out the text that a voice without a fallback refused to speak, where the voice has spoken others. It reports
// whether it did.
func (s *synthesis) skipRefusedText(err error) (skipped bool) {
	judgement := errors.Is(err, dialogue.ErrRequestRefused) || errors.Is(err, dialogue.ErrDeclined)
	proven := s.speaker.Proven || s.spoke
	if !judgement || !proven || s.speaker.HasFallback || s.skipped == maxSkipped || s.textsStarted == len(s.texts) || s.ctx.Err() != nil {
		return false
	}
	s.skipped++
	s.report(FailureSurvived{providers.NewFailure(s.speaker.Choice(), s.Agent, err)})
	s.texts = slices.Delete(slices.Clone(s.texts), s.textsStarted, s.textsStarted+1)
	s.cacheable = false
	return true
}

// replaceRefusedTexts has the pardon spoken in place of an answer of which the voice refused all texts. It reports whether it did.
func (s *synthesis) replaceRefusedTexts() bool {
	if s.skipped == 0 || s.spoke || s.pardon.Text == "" {
		return false
	}
	s.beginFixed(split(s.pardon.Text, s.speaker.Language), isCacheable(s.pardon))
	s.pardon = routing.Rendered{}
	return true
}
