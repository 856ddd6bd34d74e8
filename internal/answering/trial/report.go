package trial

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/internal/answering"
)

// Report is the figures of many recordings.
type Report struct{ Results []Result }

// Figure is how many of some recordings something holds for.
type Figure struct{ Count, Of int }

func (f Figure) String() string {
	if f.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%d of %d)", 100*float64(f.Count)/float64(f.Of), f.Count, f.Of)
}

// Share returns the figure as a part of 1.
func (f Figure) Share() float64 {
	if f.Of == 0 {
		return 0
	}
	return float64(f.Count) / float64(f.Of)
}

// count counts the results that are of a kind, and of these those for which something holds.
func (r Report) count(of, holds func(Result) bool) (f Figure) {
	for _, result := range r.Results {
		if of(result) {
			f.Of++
			if holds(result) {
				f.Count++
			}
		}
	}
	return f
}

func is(class answering.Class) func(Result) bool {
	return func(r Result) bool { return r.Class == class }
}

// isMachine reports whether a class is a machine that a message, a name or keys are for.
func isMachine(class answering.Class) bool {
	return slices.Contains([]answering.Class{answering.Voicemail, answering.MailboxFull, answering.Screening, answering.Menu, answering.Fax}, class)
}

// WrongMachine are the people who were taken for a machine, ever.
func (r Report) WrongMachine() Figure {
	return r.count(is(answering.Human), func(r Result) bool {
		return slices.ContainsFunc(r.Verdicts, func(v answering.Verdict) bool { return isMachine(v.Class) })
	})
}

// WrongHuman are the machines that were taken for a person in the end.
func (r Report) WrongHuman() Figure {
	return r.count(func(r Result) bool { return isMachine(r.Class) }, func(r Result) bool { return r.Settled() == answering.Human })
}

// FirstHuman are the machines that were taken for a person at first.
func (r Report) FirstHuman() Figure {
	return r.count(func(r Result) bool { return isMachine(r.Class) }, func(r Result) bool { return r.First() == answering.Human })
}

// ScreeningFound are the assistants that were found.
func (r Report) ScreeningFound() Figure {
	return r.count(is(answering.Screening), func(r Result) bool {
		return slices.ContainsFunc(r.Verdicts, func(v answering.Verdict) bool { return v.Class == answering.Screening })
	})
}

// CutOff are the messages that began before the mailbox took them.
func (r Report) CutOff() Figure {
	return r.count(func(r Result) bool { return r.MessageAt > 0 && r.MessageFrom > 0 }, Result.CutOff)
}

// aWord is how long a person speaks at most who answers with a word or a name.
const aWord = 1500 * time.Millisecond

// PeopleAfter returns a quantile of the time from the beginning of a person's speech to the verdict, of those who speak at most so long.
func (r Report) PeopleAfter(quantile float64, most time.Duration) time.Duration {
	var times []time.Duration
	for _, result := range r.Results {
		speaks := time.Duration(0)
		for _, s := range result.Said {
			speaks = s.End - result.Said[0].Start
		}
		if result.Class != answering.Human || result.First() != answering.Human || speaks > most {
			continue
		}
		took := result.Verdicts[0].Spoke
		if len(result.Said) > 0 {
			took = result.Verdicts[0].After - result.Said[0].Start
		}
		times = append(times, took)
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(int(quantile*float64(len(times))), len(times)-1)]
}

// WriteTable writes the figures, and how many of each class and language were found in the end, as tables in Markdown.
func (r Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, "| figure | |\n|---|---|")
	for _, row := range []struct {
		name  string
		value any
	}{
		{"people taken for a machine", r.WrongMachine()}, {"machines taken for a person", r.WrongHuman()}, {"the same, by the first verdict", r.FirstHuman()},
		{"assistants found", r.ScreeningFound()}, {"messages that began too early", r.CutOff()},
		{"verdict for people who say a word or a name, from its beginning, p50", seconds(r.PeopleAfter(0.5, aWord))},
		{"verdict for all people, from the beginning of their speech, p50", seconds(r.PeopleAfter(0.5, time.Minute))},
		{"the same, p95", seconds(r.PeopleAfter(0.95, time.Minute))},
	} {
		fmt.Fprintf(&b, "| %s | %v |\n", row.name, row.value)
	}
	languages := r.languages()
	fmt.Fprintf(&b, "\n| class | %s | all |\n|%s\n", strings.Join(languages, " | "), strings.Repeat("---|", len(languages)+2))
	for _, class := range answering.Classes {
		all := r.found(class, "")
		if all.Of == 0 {
			continue
		}
		fmt.Fprintf(&b, "| `%s` |", class)
		for _, language := range append(languages, "") {
			if f := r.found(class, language); f.Of > 0 {
				fmt.Fprintf(&b, " %d/%d |", f.Count, f.Of)
			} else {
				fmt.Fprint(&b, " – |")
			}
		}
		fmt.Fprintln(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// found are the recordings of a class and a language ("" for any) that were found in the end.
func (r Report) found(class answering.Class, language string) Figure {
	return r.count(func(r Result) bool { return r.Class == class && (language == "" || r.Language == language) },
		func(r Result) bool { return r.Settled() == class })
}

func (r Report) languages() (all []string) {
	for _, result := range r.Results {
		if !slices.Contains(all, result.Language) {
			all = append(all, result.Language)
		}
	}
	return all
}

// WriteWrong writes the evidence of each recording whose class was not found in the end.
func (r Report) WriteWrong(w io.Writer) error {
	var b strings.Builder
	for _, result := range r.Results {
		if result.Settled() == result.Class {
			continue
		}
		fmt.Fprintf(&b, "%s: %s, taken for %s\n", result.Name, result.Class, orNobody(result.Settled()))
		for _, v := range result.Verdicts {
			for _, e := range v.All {
				fmt.Fprintf(&b, "  %5.2f s  %s: %s, %s (%s)\n", e.After.Seconds(), e.Layer, e.Class, e.Cause, e.Detail)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func orNobody(class answering.Class) string {
	if class == "" {
		return "nobody"
	}
	return string(class)
}
