package speechtext

import (
	"os"
	"strings"
	"testing"

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
