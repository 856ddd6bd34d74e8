package turn

import (
	"testing"
	"time"

	"parley/internal/dialogue"
)

// What an agent asks for, by language, and which answers are only parts of it.
func TestParts(t *testing.T) {
	for _, tc := range []struct {
		language, asked, said string
		part                  bool
	}{
		{"en", "Thank you. What is your phone number?", "It's 0170.", true},
		{"en", "What is your phone number?", "I don't have one", false},
		{"en", "Is that your number? And how are you?", "5 5 5.", false},
		{"en", "Could you read me the code, please?", "one seven", true},
		{"en", "How many tickets would you like?", "two", false},
		{"en", "What is your e-mail address?", "john smith", true},
		{"en", "What is your e-mail address?", "john dot smith at gmail", true},
		{"en", "What is your e-mail address?", "john dot smith at gmail dot com", false},
		{"en", "What is your e-mail address?", "john.smith@gmail", true},
		{"en", "What is your e-mail address?", "john.smith@gmail.com.", false},
		{"en", "What is your e-mail address?", "I would rather not say that", false},
		{"en", "Please spell your name.", "M E I", true},
		{"en", "Please spell your name.", "M E I E R, Meier", false},
		{"de-CH", "Wie lautet Ihre Telefonnummer?", "null eins sieben.", true},
		{"de", "Können Sie das buchstabieren?", "M A", true},
		{"de", "Wie ist Ihre E-Mail-Adresse?", "anna punkt meier ät", true},
		{"fr", "Quel est votre numéro de téléphone ?", "zéro six.", true},
		{"es", "¿Cuál es su correo?", "ana arroba correo punto es", false},
		{"it", "Mi dica il numero, per favore.", "tre tre cinque.", true},
		{"pt-BR", "Qual é o seu telefone?", "onze nove oito.", true},
		{"nl", "Wat is uw telefoonnummer?", "nul zes.", true},
		{"pl", "Jaki jest numer telefonu?", "pięć zero.", true},
	} {
		v := vocabularyOf(tc.language)
		if part := v.isPart(tc.said, v.asksFor(tc.asked)); part != tc.part {
			t.Errorf("%s, after %q: %q is a part: %v, want %v", tc.language, tc.asked, tc.said, part, tc.part)
		}
	}
}

// A group of digits with a full stop, which the recogniser judges complete, ends the turn after endpoint_complete_ms, but
// after endpoint_unfinished_ms when the agent has asked for a number.
func TestGroupsOfANumber(t *testing.T) {
	for asked, wait := range map[string]time.Duration{"How may I help you?": 300 * ms, "What is your phone number?": 1200 * ms} {
		d := NewDetector(DefaultOptions)
		d.AgentStarted(start)
		d.AgentAudible(start)
		d.AgentStopped(start.Add(1000 * ms))
		d.AgentAsked(asked)
		d.SpeechStarted(start.Add(2000*ms), start.Add(2060*ms), false)
		d.SpeechEnded(start.Add(3000*ms), start.Add(3200*ms))
		d.TranscriptReceived(dialogue.Transcript{Text: "0170.", Final: true, EndOfTurn: true}, start.Add(3210*ms))
		ended := 3220 * ms
		for d.Elapsed(start.Add(ended)) != Commit && ended < time.Minute {
			ended += 10 * ms
		}
		if silence := ended - 3000*ms; silence != wait {
			t.Errorf("after %q the turn ends after %v, want %v", asked, silence, wait)
		}
	}
}
