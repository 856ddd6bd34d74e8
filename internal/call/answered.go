package call

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/answering"
	"parley/internal/database"
	"parley/internal/event"
)

// AnsweredBy is who answered a phone call that was dialled.
type AnsweredBy struct {
	Class      answering.Class `json:"class" enum:"human,voicemail,mailbox_full,screening,menu,fax,silence,unknown" doc:"Who answered: human, voicemail (a mailbox), mailbox_full (one that takes no message), screening (an assistant that asks who is calling), menu, fax, silence or unknown." example:"voicemail"`
	Confidence float64         `json:"confidence" minimum:"0" maximum:"1" doc:"How certain it is, from 0 to 1." example:"0.97"`
	Cause      answering.Cause `json:"cause" enum:"special_information,busy_tone,fax_tone,beep,short_greeting,sentence,long_greeting,phrase,model,no_speech,timeout" doc:"What decided: tones of the network, a fax or a mailbox, the timing of speech, a phrase, the language model, silence, or the end of window_ms." example:"phrase"`
	AfterMS    int64           `json:"after_ms" doc:"Time from the answer to the decision, in milliseconds." example:"2140"`
}

// AnswerEvidence is what one layer found about who answered.
type AnswerEvidence struct {
	Layer answering.Layer `json:"layer" enum:"tones,timing,phrases,model,clock" doc:"Where it comes from." example:"phrases"`
	AnsweredBy
	Detail string `json:"detail,omitempty" doc:"The phrase, the tone or the duration." example:"en: after the tone"`
}

// Answer is a decision on who answered, with its evidence.
type Answer struct {
	AnsweredBy
	Evidence []AnswerEvidence `json:"evidence"`
}

// NewAnswer returns a verdict as it is stored.
func NewAnswer(v answering.Verdict) Answer {
	a := Answer{AnsweredBy: answeredBy(v.Evidence), Evidence: []AnswerEvidence{}}
	for _, e := range v.All {
		a.Evidence = append(a.Evidence, AnswerEvidence{Layer: e.Layer, AnsweredBy: answeredBy(e), Detail: e.Detail})
	}
	return a
}

func answeredBy(e answering.Evidence) AnsweredBy {
	return AnsweredBy{Class: e.Class, Confidence: e.Confidence, Cause: e.Cause, AfterMS: e.After.Milliseconds()}
}

// applyAnswers updates who answered the call, and appends an event for each decision.
func (s *Service) applyAnswers(ctx context.Context, tx database.Tx, c *Call, answers []Answer) error {
	for _, a := range answers {
		c.AnsweredBy = &a.AnsweredBy
		data := map[string]any{
			"class": a.Class, "confidence": a.Confidence, "cause": a.Cause, "after_ms": a.AfterMS, "evidence": a.Evidence,
		}
		if err := s.appendEvent(ctx, tx, c, event.CallAnsweredBy, data); err != nil {
			return err
		}
	}
	return nil
}

// readAnswer reads a decision from its event.
func readAnswer(data json.RawMessage) (*Answer, error) {
	a := new(Answer)
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("read who answered: %w", err)
	}
	return a, nil
}
