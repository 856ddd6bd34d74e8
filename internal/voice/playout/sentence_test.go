package playout

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"Hello", []string{"Hello"}},
		{"Hello there. How are you? Fine!", []string{"Hello there.", "How are you?", "Fine!"}},
		{"It costs 3.50 euros. Is that all?", []string{"It costs 3.50 euros.", "Is that all?"}},
		{"Dr. Smith and J. Doe are here. Come in.", []string{"Dr. Smith and J. Doe are here.", "Come in."}},
		{"See e.g. the menu. Bye.", []string{"See e.g. the menu.", "Bye."}},
		{"Well, if that is what you want, fine, then go, now please. Yes, of course, I can, certainly.",
			[]string{"Well, if that is what you want,", "fine, then go, now please.", "Yes, of course, I can, certainly."}},
		{"One\nTwo\n\nThree", []string{"One", "Two", "Three"}},
		{"お元気ですか。はい！", []string{"お元気ですか。", "はい！"}},
		{"Wait... what?! Really?", []string{"Wait...", "what?!", "Really?"}},
	} {
		for _, size := range []int{1, 3, 1000} {
			var s SentenceSplitter
			var got []string
			for rest := []rune(tc.text); len(rest) > 0; {
				n := min(size, len(rest))
				got = append(got, s.Push(string(rest[:n]))...)
				rest = rest[n:]
			}
			if rest := s.Flush(); rest != "" {
				got = append(got, rest)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%q in segments of %d (-want +got):\n%s", tc.text, size, diff)
			}
		}
	}
}

// Text without a mark is cut all the same, for the voice is waiting.
func TestSentencesWithoutEnd(t *testing.T) {
	for _, text := range []string{strings.Repeat("on and ", 1000), strings.Repeat("ä", 5000)} {
		var s SentenceSplitter
		segments := append(s.Push(text), s.Flush())
		for _, segment := range segments {
			if len(segment) > maxSegment || !utf8.ValidString(segment) {
				t.Errorf("a segment of %d bytes: %q", len(segment), segment)
			}
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := strings.Join(segments, ""); squeeze(got) != squeeze(text) {
			t.Errorf("%d bytes said of %d", len(got), len(text))
		}
	}
}

// Nothing is lost or said twice, whatever a model says.
func FuzzSentences(f *testing.F) {
	f.Add("Hello there. How are you, my dear old friend, today?", 3)
	f.Add("Dr. A. B.\n..., !?", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(1, size%50)
		var s SentenceSplitter
		var all strings.Builder
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			for _, segment := range s.Push(rest[:n]) {
				all.WriteString(segment)
			}
			rest = rest[n:]
		}
		all.WriteString(s.Flush())
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := squeeze(all.String()), squeeze(text); got != want {
			t.Errorf("said %q of %q", got, want)
		}
	})
}
