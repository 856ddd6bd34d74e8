package caller

import (
	"strings"

	"parley/client"
)

// replies finds the agent's reply to each spoken line: the assistant entries in the transcript between the user
// entry of this line and that of the next. The agent may have missed a line or split it, so lines and entries are
// aligned by the words they share (Needleman and Wunsch, 1970).
func replies(said []string, transcript []client.TranscriptEntry) []string {
	var heard []int // indexes of the user's entries
	for i, e := range transcript {
		if e.Role == "user" {
			heard = append(heard, i)
		}
	}
	// best[i][j] is the score of the first i lines against the first j entries.
	best := make([][]float64, len(said)+1)
	for i := range best {
		best[i] = make([]float64, len(heard)+1)
	}
	pair := func(i, j int) float64 { return best[i-1][j-1] + similarity(said[i-1], transcript[heard[j-1]].Content) }
	for i := 1; i <= len(said); i++ {
		for j := 1; j <= len(heard); j++ {
			best[i][j] = max(best[i-1][j], best[i][j-1], pair(i, j))
		}
	}
	answers := make([]string, len(said))
	end := len(transcript)
	for i, j := len(said), len(heard); i > 0 && j > 0; {
		switch best[i][j] {
		case best[i][j-1]:
			j--
		case best[i-1][j]:
			i--
		default:
			answers[i-1] = spokenIn(transcript[heard[j-1]:end])
			end = heard[j-1]
			i, j = i-1, j-1
		}
	}
	return answers
}

func spokenIn(entries []client.TranscriptEntry) string {
	var parts []string
	for _, e := range entries {
		if e.Role == "assistant" && e.Content != "" {
			parts = append(parts, e.Content)
		}
	}
	return strings.Join(parts, " ")
}

// similarity returns the share of common words, and a small value without any, because a completely misrecognised
// line is still that line.
func similarity(a, b string) float64 {
	const misheard = 0.01
	of := map[string]int{}
	words := tokens(a)
	for _, w := range words {
		of[w]++
	}
	others, common := tokens(b), 0
	for _, w := range others {
		if of[w] > 0 {
			of[w]--
			common++
		}
	}
	return misheard + 2*float64(common)/float64(max(1, len(words)+len(others)))
}

func tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '\'' || r > 127)
	})
}
