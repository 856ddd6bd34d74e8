package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/languageid"
)

// languageAfter is how many utterances in a row, in another language than the agent's, make the agent speak that language.
const languageAfter = 2

// languageTracker counts the caller's utterances in another language than the one in effect.
type languageTracker struct {
	reported  map[string]int // bytes of the turn's text, by the language that the recogniser reports
	candidate string         // the other language; "" for none
	count     int            // of utterances in it, in a row
	waiting   string         // the caller's words that are answered in it, while its providers are opened
}

// add adds a transcript of the turn.
func (t *languageTracker) add(transcript dialogue.Transcript) {
	if !transcript.Final || transcript.Language == "" {
		return
	}
	if t.reported == nil {
		t.reported = map[string]int{}
	}
	t.reported[transcript.Language] += len(transcript.Text)
}

// takeReported returns the language of most of the turn's text; "" if the recogniser has reported none.
func (t *languageTracker) takeReported() (language string) {
	for code, size := range t.reported {
		if size > t.reported[language] || size == t.reported[language] && code < language {
			language = code
		}
	}
	t.reported = nil
	return language
}

// isDue counts an utterance in a language, and reports whether the agent is to speak it from now on.
func (t *languageTracker) isDue(language, inEffect string) bool {
	switch language {
	case "": // too little to say
		return false
	case inEffect:
		t.candidate, t.count = "", 0
		return false
	case t.candidate:
		t.count++
	default:
		t.candidate, t.count = language, 1
	}
	return t.count >= languageAfter
}

// utteranceLanguage returns which of the agent's languages the caller's words are in; "" if that is not certain.
func (s *Session) utteranceLanguage(text string) string {
	reported := s.languages.takeReported()
	switch config := s.router.Config(); {
	case !config.LanguagesAuto || text == s.keys.entered:
		return ""
	case reported == "":
		return languageid.Identify(text, config.Languages)
	case !languageid.Enough(text):
		return ""
	}
	return s.router.Supported(reported)
}

// changeLanguage has the agent speak the caller's language, if it is due. The turn is answered once the providers of that language are
// open. It reports whether it does.
func (s *Session) changeLanguage(ctx context.Context, text string, now time.Time) bool {
	language, previous := s.utteranceLanguage(text), s.router.Language()
	if !s.languages.isDue(language, previous) {
		return false
	}
	s.languages.candidate, s.languages.count = "", 0
	s.router.ChangeLanguage(language)
	s.detector.SetLanguage(language)
	s.options.Journal.LanguageChanged(language, previous)
	s.saveSnapshot()
	s.cancelAnswer() // it is in the language before
	if s.providers.UsesRealtime() {
		return false // the model speaks each language
	}
	s.input.endTurn(s.providers.Recognition())
	s.detector.TurnCommitted(now)
	s.languages.waiting = text
	s.phase = changingLanguage
	s.agentState.set(Thinking)
	s.providers.Open(ctx, s.agentSpec())
	return true
}

// answerInLanguage answers the turn that has changed the language.
func (s *Session) answerInLanguage(ctx context.Context) {
	s.phase = conversing
	text := s.languages.waiting
	s.languages.waiting = ""
	s.generateAnswer(ctx, text, false)
	s.history.Add(dialogue.RoleUser, s.keys.forModel(text))
	s.keys.entered = ""
}

// keepLanguage goes on in the language before: the providers of the new one cannot be opened.
func (s *Session) keepLanguage(ctx context.Context, p Problem) {
	language := s.router.Language()
	s.router.ChangeLanguage("")
	s.detector.SetLanguage(s.router.Language())
	s.options.Journal.LanguageChanged(s.router.Language(), language)
	s.saveSnapshot()
	s.answerInLanguage(ctx)
}
