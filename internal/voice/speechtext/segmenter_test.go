package speechtext

import (
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// cutCase is a line of a corpus: a text with its pieces.
type cutCase struct {
	language string
	pieces   []string
}

func (c cutCase) text() string { return strings.Join(c.pieces, "") }

func readCuts(t testing.TB, path string) (cases []cutCase) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		if language, text, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			cases = append(cases, cutCase{language, strings.Split(text, "¦")})
		}
	}
	return cases
}

// cut returns the segments of a text, which arrives in pieces of so many characters, without the early cut of the first clause.
func cut(language, text string, size int) (segments []string) {
	s := NewSegmenter(language)
	s.begun = true
	for rest := []rune(text); len(rest) > 0; {
		n := min(size, len(rest))
		for _, segment := range s.Push(string(rest[:n])) {
			segments = append(segments, segment.Written())
		}
		rest = rest[n:]
	}
	for _, segment := range s.Flush() {
		segments = append(segments, segment.Written())
	}
	return segments
}

func (c cutCase) want() (pieces []string) {
	for _, p := range c.pieces {
		pieces = append(pieces, strings.TrimSpace(p))
	}
	return pieces
}

func TestCuts(t *testing.T) {
	for _, c := range readCuts(t, "testdata/cuts.txt") {
		for _, size := range []int{1, 4, 10_000} {
			if diff := cmp.Diff(c.want(), cut(c.language, c.text(), size)); diff != "" {
				t.Errorf("%s %q in pieces of %d (-want +got):\n%s", c.language, c.text(), size, diff)
				break
			}
		}
	}
}

// heldBackWrong is how many cases of the part of the corpus that no rule was tuned to may be cut wrongly: as many as were when it was
// first used.
const heldBackWrong = 4

func TestCutsHeldBack(t *testing.T) {
	cases := readCuts(t, "testdata/cuts_held_back.txt")
	wrong := 0
	for _, c := range cases {
		if diff := cmp.Diff(c.want(), cut(c.language, c.text(), 4)); diff != "" {
			wrong++
			t.Logf("%s %q (-want +got):\n%s", c.language, c.text(), diff)
		}
	}
	t.Logf("%d of %d wrong", wrong, len(cases))
	if wrong > heldBackWrong {
		t.Errorf("%d of %d cases are cut wrongly, of which %d are known", wrong, len(cases), heldBackWrong)
	}
}

// Text without a mark is cut all the same, for the voice is waiting; between characters, not within one.
func TestSegmentsWithoutEnd(t *testing.T) {
	for _, text := range []string{strings.Repeat("on and ", 1000), strings.Repeat("ä", 5000), strings.Repeat("क्षि", 1000), strings.Repeat("👩", 10) + strings.Repeat("e\u0301", 3000)} {
		s := NewSegmenter("")
		segments := append(s.Push(text), s.Flush()...)
		var all strings.Builder
		for _, segment := range segments {
			spoken := segment.Spoken()
			if len(spoken) > maxSegment || !utf8.ValidString(spoken) || unicode.Is(unicode.M, firstRune(spoken)) {
				t.Errorf("a segment of %d bytes: %q", len(spoken), spoken)
			}
			all.WriteString(spoken)
		}
		squeeze := func(s string) string { return strings.NewReplacer(" ", "", "👩", "").Replace(s) }
		if squeeze(all.String()) != squeeze(text) {
			t.Errorf("%d bytes spoken of %d", all.Len(), len(text))
		}
	}
}

// The first clause is a segment of its own, for an early first sound; later ones are not.
func TestFirstClause(t *testing.T) {
	for text, want := range map[string][]string{
		"Well, if that is what you want, fine, then go. Yes, of course, I can, certainly.": {"Well, if that is what you want,", "fine, then go.", "Yes, of course, I can, certainly."},
		"您的预约是五月三日下午三点，医生是史密斯，请您准时到达。好的，谢谢您的来电，再见。":                                        {"您的预约是五月三日下午三点，", "医生是史密斯，请您准时到达。", "好的，谢谢您的来电，再见。"},
		"One\nTwo\n\nThree": {"One", "Two", "Three"},
	} {
		s := NewSegmenter("")
		var got []string
		for _, segment := range append(s.Push(text), s.Flush()...) {
			got = append(got, segment.Spoken())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// A text that ends as a sentence is one when nothing follows for a while; an abbreviation is not.
func TestSettle(t *testing.T) {
	for text, want := range map[string]string{
		"One moment, please.": "One moment, please.", "Really?": "Really?", "एक मिनट।": "एक मिनट।", "**Sure!**": "Sure!",
		"One moment": "", "I met Dr.": "", "It costs 3.": "", "We close at 5 p.m.": "", "See no": "", "": "",
	} {
		s := NewSegmenter("en")
		got := ""
		for _, segment := range append(s.Push(text), s.Settle()...) {
			got += segment.Spoken()
		}
		if got != want {
			t.Errorf("%q settles as %q, want %q", text, got, want)
		}
	}
}

// The time that a text takes grows with its length, not with its square.
func BenchmarkSegments(b *testing.B) {
	text := strings.Repeat("**a.** [b](c) `d` e. ", 5000)
	for b.Loop() {
		s := NewSegmenter("en")
		s.Push(text)
		s.Flush()
	}
	b.SetBytes(int64(len(text)))
}
