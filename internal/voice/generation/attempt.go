package generation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/speechtext"
)

// CutOffInstruction instructs a model to continue an answer that broke off.
const CutOffInstruction = "The connection broke after these words of yours, which the caller heard. Go on exactly there: do not repeat them and do not mention it."

// maxShortenings is how often a prompt that is too long for its model is shortened, each time to half.
const maxShortenings = 4

// errEmpty is the error of a model that returns neither text nor a function call.
var errEmpty = dialogue.ErrorOf(dialogue.ErrDeclined, "answered with nothing")

// round is the model's answer to one prompt, over all attempts and models.
type round struct {
	*Answer
	request     *Request
	out         segmentWriter
	said        []string // segments that were sent to the voice
	rest        string   // of the last attempt, after its last whole segment
	calls       []dialogue.ToolCall
	shortenings int
}

// generateRound streams one round of the model. A model that fails is retried, then replaced by its fallback, which
// continues where it stopped: text that was sent to the voice is not repeated, and a function that was called is not
// called again. A judgement on this turn alone is no failure: a fixed text is the answer.
func (a *Answer) generateRound(r *Request, out segmentWriter) (text string, calls []dialogue.ToolCall, err error) {
	d := &round{Answer: a, request: r, out: out}
	for {
		err = d.tryModel()
		if errors.As(err, new(requestsSpent)) {
			return "", nil, err
		}
		if errors.Is(err, dialogue.ErrPromptTooLong) && d.shorten() {
			continue
		}
		if err == nil || a.ctx.Err() != nil || len(r.Models) == 1 {
			break
		}
		d.leaveModel(err)
	}
	if err != nil && a.ctx.Err() == nil {
		err = d.answerOtherwise(err)
	}
	return strings.Join(d.said, " "), d.calls, err
}

// tryModel makes the attempts of the first model.
func (d *round) tryModel() error {
	m := d.request.Models[0]
	hasFallback := len(d.request.Models) > 1
	return providers.Retry(d.ctx, hasFallback, func() error {
		return providers.CatchPanic(func() (err error) {
			if err := d.awaitRequest(d.request.Budget); err != nil {
				return err
			}
			d.calls, err = d.stream(m, hasFallback)
			if err == nil && len(d.calls) == 0 && !d.textSent {
				return errEmpty
			}
			return err
		})
	})
}

// leaveModel continues with the fallback of the first model: for the rest of the call, or, after a judgement on this turn, for this
// answer alone.
func (d *round) leaveModel(err error) {
	if errors.Is(err, dialogue.ErrDeclined) && !errors.Is(err, errEmpty) {
		d.report(FailureSurvived{d.modelFailure(d.request, err)})
	} else {
		d.report(ModelReplaced{providers.NewReplacedFailure(d.request.Models[0].Choice(), d.Agent, err)})
	}
	d.request.Models = d.request.Models[1:]
	d.request.ModelProven, d.request.ModelSilence = false, 0
}

// answerOtherwise ends the round of a model that failed. After a judgement on this turn a fixed text is its answer, and an answer that
// only lacks its end is complete. Otherwise the failure is returned.
func (d *round) answerOtherwise(err error) error {
	failure := d.modelFailure(d.request, err)
	var text routing.Rendered
	switch refused := errors.Is(err, dialogue.ErrRequestRefused); {
	case errors.Is(err, errEmpty):
		text = d.request.Texts.Pardon
	case errors.Is(err, dialogue.ErrDeclined), refused && d.request.ModelProven:
		d.report(TurnDeclined{Refused: refused, ByPrompt: refused || errors.Is(err, dialogue.ErrPromptDeclined)})
		text = d.request.Texts.Declined
	case errors.Is(err, dialogue.ErrUnfinished) && (d.rest != "" || len(d.said) > 0):
		text = routing.Rendered{Text: d.rest}
	default:
		return failure
	}
	d.report(FailureSurvived{failure})
	return d.out.writeFixed(text)
}

func (a *Answer) modelFailure(r *Request, err error) providers.Failure {
	return providers.NewFailure(r.Models[0].Choice(), a.Agent, err)
}

// shorten leaves out the older half of a prompt that is too long for its model. It reports false if that is not possible.
func (d *round) shorten() bool {
	size := characters(d.request.Prompt.Messages)
	history := NewHistory(d.request.Prompt.Messages)
	messages, _ := history.Window(size / 2)
	if d.shortenings == maxShortenings || characters(messages) >= size {
		return false
	}
	d.shortenings++
	d.request.Prompt.Messages = messages
	d.report(PromptShortened{size / 2})
	return true
}

// continuation returns the prompt for the rest of a round of which segments were sent to the voice.
func (d *round) continuation(m providers.Model) dialogue.Prompt {
	p := d.request.promptFor(m)
	if len(d.said) > 0 {
		p.Messages = append(p.Messages[:len(p.Messages):len(p.Messages)],
			dialogue.Message{Role: dialogue.RoleAssistant, Content: strings.Join(d.said, " ")}, dialogue.Message{Role: dialogue.RoleSystem, Content: CutOffInstruction})
	}
	return p
}

// stream makes one attempt at a round. One that fails after functions were called counts as complete, with these
// calls as its result.
func (d *round) stream(m providers.Model, hasFallback bool) (calls []dialogue.ToolCall, _ error) {
	ctx, giveUp := context.WithCancelCause(d.ctx)
	defer giveUp(nil)
	timers := newStreamTimers(m, hasFallback, d.request.ModelSilence, giveUp)
	defer timers.stop()
	segments := newSegmentStream(d.out.language, d.sendNew(slices.Clone(d.said)))
	defer segments.stop()
	d.rest = ""
	begun := false
	for delta, err := range m.Generate(ctx, d.request.masked(d.continuation(m))) {
		if err != nil && len(calls) > 0 && d.ctx.Err() == nil {
			break
		}
		if err != nil {
			if cause := context.Cause(ctx); d.ctx.Err() == nil && cause != nil {
				err = cause
			}
			d.rest = segments.stopAtSentence()
			return nil, err
		}
		timers.pause() // sending text may block for as long as it is spoken
		if !begun && (strings.TrimSpace(delta.Text) != "" || len(delta.ToolCalls) > 0) {
			begun = true
			timers.begin()
			d.report(FirstToken{})
		}
		if err := segments.push(delta.Text); err != nil {
			return nil, err
		}
		if len(delta.ToolCalls) > 0 {
			calls = append(calls, delta.ToolCalls...)
			d.report(CallsReceived{delta.ToolCalls})
		}
		if delta.Usage != nil {
			d.report(UsageReceived{*delta.Usage})
		}
		timers.resume()
	}
	return calls, segments.flush()
}

// sendNew returns a function that sends segments to the voice, without those at the beginning that repeat what was said before.
func (d *round) sendNew(before []string) func(segment speechtext.Text) error {
	return func(segment speechtext.Text) error {
		written := segment.Written()
		if len(before) > 0 && written == strings.TrimSpace(before[0]) {
			before = before[1:]
			return nil
		}
		before = nil
		d.said = append(d.said, written)
		d.textSent = true
		return d.out.writeSegment(segment)
	}
}

// streamTimers bound how long a model may send nothing: before its first token, between its tokens, and, whatever else it sends, until
// its first token.
type streamTimers struct {
	silence, tokenless *time.Timer
	limit              time.Duration // of the silence
	between            time.Duration // the limit after the first token
	giveUp             context.CancelCauseFunc
}

func newStreamTimers(m providers.Model, hasFallback bool, silence time.Duration, giveUp context.CancelCauseFunc) *streamTimers {
	first := providers.AfterSilence(providers.FirstTokenTimeout(m.LLM, hasFallback), silence, hasFallback)
	t := &streamTimers{limit: min(first, providers.StallTimeout(hasFallback)), between: providers.TokenTimeout(hasFallback), giveUp: giveUp}
	if m.FirstTokenTimeoutMS != nil {
		t.limit = first
	}
	t.tokenless = time.AfterFunc(first, func() { giveUp(providers.TimeoutError(first)) })
	t.resume()
	return t
}

// begin handles the first token.
func (t *streamTimers) begin() {
	t.tokenless.Stop()
	t.limit = t.between
}

func (t *streamTimers) pause() { t.silence.Stop() }

func (t *streamTimers) resume() {
	limit := t.limit
	t.silence = time.AfterFunc(limit, func() { t.giveUp(providers.TimeoutError(limit)) })
}

func (t *streamTimers) stop() {
	t.silence.Stop()
	t.tokenless.Stop()
}
