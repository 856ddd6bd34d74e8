package voice

import (
	"testing"
	"time"

	"parley/internal/dialogue"
)

func TestWithoutAnnotations(t *testing.T) {
	for text, want := range map[string]string{
		"[BLANK_AUDIO]": "", " [BLANK_AUDIO]\n": "", "(silence)": "", "[Music]": "", "<|nospeech|>": "", "<|startoftranscript|><|en|><|nospeech|>": "", "<noise>": "", "[unk]": "",
		"♪ la la la ♪": "", "♪♪": "", "*coughs*": "", "(speaking in foreign language)": "", "(whatever it is)": "", "（音楽）": "", "【音楽】": "", "[Music] (applause).": "", "[inaudible 00:03]": "",
		"Hello [Music] there": "Hello there", "When do you open? (coughs)": "When do you open?", "<|en|>When do you open?": "When do you open?", "Yes. [BLANK_AUDIO]": "Yes.",
		"call (415) 555-0100": "call (415) 555-0100", "(415) 555-0100": "(415) 555-0100", "the tax (VAT) is due": "the tax (VAT) is due", "write to <a@b.de>": "write to <a@b.de>",
		"two * three": "two * three", "silence": "silence", "": "", " Hello  there": " Hello  there",
	} {
		got := withoutAnnotations(dialogue.Transcript{Text: text, Final: true, EndOfTurn: true})
		if got.Text != want || !got.Final || got.EndOfTurn != (want != "" || text == "") {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
}

// Sound that the recogniser calls no speech is no turn, and the model is not asked.
func TestAnnotationsAreNoTurn(t *testing.T) {
	for _, text := range []string{"[BLANK_AUDIO]", "(silence)", "[Music]", "<|nospeech|>"} {
		t.Run(text, func(t *testing.T) {
			perform(t, func(s *scenario) { s.recognizer.endOfTurn = true }, func(s *scenario) {
				s.question(text)
				s.wait(3 * time.Second)
				s.recognizer.hear(dialogue.Transcript{Text: text})
				s.recognizer.hear(dialogue.Transcript{Text: text, Final: true, EndOfTurn: true})
				s.wait(3 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.")
				s.wantAsked(0, 0)
			})
		})
	}
}
