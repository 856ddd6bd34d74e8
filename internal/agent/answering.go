package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/internal/answering"
)

// AnswerDetection is how an agent finds out who has answered a phone call that it places, and what it does then.
type AnswerDetection struct {
	Enabled bool `json:"enabled,omitempty" doc:"Whether it is detected who answers outbound phone calls. Default: false." example:"true"`
	// WindowMS and NoSpeechMS are milliseconds from the answer.
	WindowMS   *int   `json:"window_ms,omitempty" minimum:"1200" maximum:"30000" doc:"Time from the answer after which on_timeout is the class, in milliseconds. Default: 6000." example:"6000"`
	NoSpeechMS *int   `json:"no_speech_ms,omitempty" minimum:"1000" maximum:"30000" doc:"Time from the answer without speech after which the class is silence, in milliseconds. Default: 5000." example:"5000"`
	OnTimeout  string `json:"on_timeout,omitempty" enum:"human,voicemail,unknown" doc:"Class when nothing was certain within window_ms. Default: human." example:"human"`
	// Phrases has, by language and class, what machines say.
	Phrases map[string]map[string][]string `json:"phrases,omitzero" maxProperties:"50" doc:"Own phrases by language code and class, beside those of Parley. Words in order, in any case; * stands for up to three words, and ~ at the end of a word for any ending." example:"{\"en\": {\"voicemail\": [\"leave * at the desk\"]}}"`
	LLM     bool                           `json:"llm,omitempty" doc:"Whether the agent's language model is asked where tones, timing and phrases disagree. Default: false." example:"true"`
	// Actions has what the agent does by class; without one it speaks as to a person.
	Actions map[string]AnswerAction `json:"actions,omitzero" maxProperties:"8" doc:"What the agent does, by class: human, voicemail, mailbox_full, screening, menu, fax, silence or unknown. Default: continue."`
}

// AnswerAction is what an agent does when a class has answered.
type AnswerAction struct {
	Do         string `json:"do" enum:"continue,end,leave_message,identify,navigate" doc:"continue: speak as to a person. end: end the call. leave_message: leave a message, then end the call. identify: tell who is calling and why, then listen again. navigate: find a person through a menu." example:"leave_message"`
	Text       string `json:"text,omitempty" maxLength:"5000" doc:"For leave_message: the message. May contain templates; without a value for one of them no message is left." example:"Hello {{user.name}}, please call us back."`
	After      string `json:"after,omitempty" enum:"beep,silence" doc:"For leave_message: what the message waits for. beep: a beep, or silence where none comes; silence: the end of the greeting. Default: beep." example:"beep"`
	MaxWaitMS  *int   `json:"max_wait_ms,omitempty" minimum:"1000" maximum:"120000" doc:"For leave_message: the longest wait, in milliseconds. Default: 30000." example:"30000"`
	Name       string `json:"name,omitempty" maxLength:"255" doc:"For identify: who is calling. May contain templates." example:"Parley Dental"`
	Purpose    string `json:"purpose,omitempty" maxLength:"1000" doc:"For identify: why. May contain templates." example:"your appointment on Monday"`
	Goal       string `json:"goal,omitempty" maxLength:"1000" doc:"For navigate: whom or what to reach. May contain templates." example:"somebody in accounting"`
	MaxPresses *int   `json:"max_presses,omitempty" minimum:"1" maximum:"50" doc:"For navigate: the most keys to press. Default: 10." example:"10"`
	MaxS       *int   `json:"max_s,omitempty" minimum:"10" maximum:"600" doc:"For navigate: the longest time in menus, in seconds. Default: 120." example:"120"`
}

// The actions.
const (
	AnswerContinue     = "continue"
	AnswerEnd          = "end"
	AnswerLeaveMessage = "leave_message"
	AnswerIdentify     = "identify"
	AnswerNavigate     = "navigate"
)

// AfterSilence is the value of AnswerAction.After for a message that waits for no beep.
const AfterSilence = "silence"

// Limits of AnswerDetection; times in milliseconds, MaxS in seconds.
const (
	MinAnswerWindow, MaxAnswerWindow = 1200, 30_000
	MinNoSpeech, MaxNoSpeech         = 1000, 30_000
	MinMessageWait, MaxMessageWait   = 1000, 120_000
	MaxMenuPresses                   = 50
	MinMenuTime, MaxMenuTime         = 10, 600
	MaxAnswerText                    = 5000
	MaxAnswerPurpose                 = 1000 // of purpose and goal
	MaxAnswerLanguages               = 50
	MaxAnswerPhrases, MaxPhrase      = 200, 200 // of a class in a language; characters of one
)

var (
	answerTimeouts = []string{string(answering.Human), string(answering.Voicemail), string(answering.Unknown)}
	answerActions  = []string{AnswerContinue, AnswerEnd, AnswerLeaveMessage, AnswerIdentify, AnswerNavigate}
	answerAfter    = []string{"beep", AfterSilence}
)

// Action returns what the agent does when a class has answered.
func (d AnswerDetection) Action(class answering.Class) AnswerAction {
	a, ok := d.Actions[string(class)]
	if !ok {
		a.Do = AnswerContinue
	}
	return a
}

// Options returns the settings for package answering. transcripts: the speech is recognised.
func (d AnswerDetection) Options(transcripts bool) answering.Options {
	o := answering.Options{
		Window: milliseconds(d.WindowMS, 6000), NoSpeech: milliseconds(d.NoSpeechMS, 5000), AsksModel: d.LLM, Transcripts: transcripts,
		OnTimeout: answering.Class(cmp.Or(d.OnTimeout, string(answering.Human))),
	}
	for _, language := range slices.Sorted(maps.Keys(d.Phrases)) {
		for _, class := range slices.Sorted(maps.Keys(d.Phrases[language])) {
			own := answering.OwnPhrases{Language: language, Class: answering.Class(class), Phrases: d.Phrases[language][class]}
			o.Phrases = append(o.Phrases, own)
		}
	}
	return o
}

// MaxWait returns the longest wait before a message.
func (a AnswerAction) MaxWait() time.Duration { return milliseconds(a.MaxWaitMS, 30_000) }

// MostPresses returns how many keys are pressed at most.
func (a AnswerAction) MostPresses() int { return valueOr(a.MaxPresses, 10) }

// MenuTime returns the longest time in menus.
func (a AnswerAction) MenuTime() time.Duration {
	return time.Duration(valueOr(a.MaxS, 120)) * time.Second
}

func milliseconds(ms *int, otherwise int) time.Duration {
	return time.Duration(valueOr(ms, otherwise)) * time.Millisecond
}

func valueOr(value *int, otherwise int) int {
	if value == nil {
		return otherwise
	}
	return *value
}

// answerDetection checks who answers, and what the agent does then.
func (i *validation) answerDetection(d AnswerDetection) {
	const path = "config.answer_detection"
	i.between(path+".window_ms", d.WindowMS, MinAnswerWindow, MaxAnswerWindow)
	i.between(path+".no_speech_ms", d.NoSpeechMS, MinNoSpeech, MaxNoSpeech)
	i.oneOf(path+".on_timeout", d.OnTimeout, answerTimeouts)
	if i.Count(path+".phrases", len(d.Phrases), MaxAnswerLanguages) {
		for _, language := range slices.Sorted(maps.Keys(d.Phrases)) {
			i.answerPhrases(path+".phrases."+language, language, d.Phrases[language])
		}
	}
	for _, class := range slices.Sorted(maps.Keys(d.Actions)) {
		at := path + ".actions." + class
		if i.answerClass(at, class) {
			i.answerAction(at, d.Actions[class])
		}
	}
}

// answerClass refuses what is no class.
func (i *validation) answerClass(path, class string) bool {
	if answering.IsClass(class) {
		return true
	}
	i.Fault(path, "is no class: must be one of %s", joinClasses())
	return false
}

func joinClasses() string {
	names := make([]string, len(answering.Classes))
	for n, class := range answering.Classes {
		names[n] = string(class)
	}
	return strings.Join(names, ", ")
}

func (i *validation) answerPhrases(path, language string, byClass map[string][]string) {
	if !languageForm.MatchString(language) {
		i.Fault(path, languageHint)
		return
	}
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		at := path + "." + class
		if !i.answerClass(at, class) || !i.Count(at, len(byClass[class]), MaxAnswerPhrases) {
			continue
		}
		for n, phrase := range byClass[class] {
			if strings.Trim(phrase, " *~") == "" {
				i.Fault(fmt.Sprintf("%s[%d]", at, n), "must have a word")
			}
			i.Text(fmt.Sprintf("%s[%d]", at, n), phrase, MaxPhrase)
		}
	}
}

func (i *validation) answerAction(path string, a AnswerAction) {
	if a.Do == "" {
		i.Fault(path+".do", required)
	}
	i.oneOf(path+".do", a.Do, answerActions)
	i.oneOf(path+".after", a.After, answerAfter)
	i.between(path+".max_wait_ms", a.MaxWaitMS, MinMessageWait, MaxMessageWait)
	i.between(path+".max_presses", a.MaxPresses, 1, MaxMenuPresses)
	i.between(path+".max_s", a.MaxS, MinMenuTime, MaxMenuTime)
	for _, field := range []struct {
		name, text, neededBy string
		most                 int
	}{
		{"text", a.Text, AnswerLeaveMessage, MaxAnswerText}, {"name", a.Name, AnswerIdentify, MaxKey},
		{"purpose", a.Purpose, AnswerIdentify, MaxAnswerPurpose}, {"goal", a.Goal, AnswerNavigate, MaxAnswerPurpose},
	} {
		if a.Do == field.neededBy && strings.TrimSpace(field.text) == "" {
			i.Fault(path+"."+field.name, "is required for %s", a.Do)
		}
		i.Text(path+"."+field.name, field.text, field.most)
		i.template(path+"."+field.name, field.text)
	}
}

// between checks a number, if there is one.
func (i *validation) between(path string, n *int, least, most int) {
	if n != nil && (*n < least || *n > most) {
		i.Fault(path, "must be between %d and %d", least, most)
	}
}

// oneOf checks a setting with a choice, if it is set.
func (i *validation) oneOf(path, value string, values []string) {
	if value != "" && !slices.Contains(values, value) {
		i.Fault(path, "must be one of %s", strings.Join(values, ", "))
	}
}
