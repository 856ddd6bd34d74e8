package speechtext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// spansOf returns the spans of a text that arrives in pieces of so many bytes.
func spansOf(text string, size int) (spans Text) {
	var m markdown
	for rest := text; rest != ""; {
		n := min(size, len(rest))
		spans.append(m.push(rest[:n]))
		rest = rest[n:]
	}
	spans.append(m.flush())
	return spans
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "Hello there.", "Hello there."},
		{"bold", "**Sure!** I *can* help __you__ and _me_.", "Sure! I can help you and me."},
		{"bold and italic", "***Wow***, ~~old~~ new", "Wow, old new"},
		{"bold within a word", "un**frigging**believable", "unfriggingbelievable"},
		{"code span", "Type `SELECT *` or ``a`b``.", "Type SELECT * or a`b."},
		{"marks that are none", "5*3 is 15, snake_case_name, 2 * 3, press * or #, ~5 km", "5*3 is 15, snake_case_name, 2 * 3, press * or #, ~5 km"},
		{"heading", "# Opening hours\nWe open at nine.", "Opening hours.\nWe open at nine."},
		{"deep heading", "### What now?\nWait.", "What now?\nWait."},
		{"number sign", "#1 is best", "#1 is best"},
		{"list", "We have:\n- Apples\n- **Pears**\n* Plums!\n+ [ ] Figs", "We have:\nApples.\nPears.\nPlums!\nFigs."},
		{"nested list", "- One\n  - Two\n    • Three", "One.\nTwo.\nThree."},
		{"numbered list", "1. Open it\n2. Close it.\n10. End", "1. Open it.\n2. Close it.\n10. End."},
		{"list in Chinese", "- 苹果\n- 梨", "苹果。\n梨。"},
		{"list in Hindi", "- सेब\n- आम\n", "सेब।\nआम।\n"},
		{"negative number", "-5 degrees", "-5 degrees"},
		{"quotation", "> He said\n> > so.", "He said\nso."},
		{"rule", "One.\n\n---\n***\nTwo.\n===", "One.\n\n\n\nTwo.\n\n"},
		{"link", "See [our site](https://example.com/a_(b)?x=1 \"Title\") now.", "See our site now."},
		{"link with marks", "[**Click** here](x), [ref][1] and [ref]", "Click here, ref and [ref]"},
		{"image", "Look: ![a map](map.png)!", "Look: a map!"},
		{"exclamation", "Hey! [no] Oh!", "Hey! [no] Oh!"},
		{"brackets of a voice", "[laughs] Sure <break time=\"1s\"/> thing.", "[laughs] Sure <break time=\"1s\"/> thing."},
		{"address", "<https://example.com> or <mailto:a@b.de>", "https://example.com or a@b.de"},
		{"sources", "It rains[1][2].[^3] Yes【4:0†a.pdf】.", "It rains. Yes."},
		{"HTML", "One<br>two <b>three</b> <!-- no --> &amp; &lt;4&gt; 3 < 5 & 6", "Onetwo three  & <4> 3 < 5 & 6"},
		{"escapes", `\*not\* C:\dir 3\.`, `*not* C:\dir 3.`},
		{"emoji", "Great 😊! 👩‍👩‍👧 Fine 👍🏽 ❤️ 🇩🇪 1️⃣ ok", "Great! Fine 1 ok"},
		{"arrows, lines and shapes", "Berlin → Hamburg ■ ✅ ok\n────\nend", "Berlin , Hamburg ok\n\nend"},
		{"joiners of scripts", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		{"code block", "So:\n```go\nfmt.Println()\nx := 1\n```\nDone.", "So:\n\nDone."},
		{"code block of one line", "Your code:\n```\nABC-123\n```\nDone.", "Your code:\nABC-123\nDone."},
		{"answer in a code block", "```markdown\n# Hi\nThere.\n```go\na\nb\n```\nEnd\n```\nMore", "\nHi.\nThere.\n\nEnd\n\nMore"},
		{"code block without an end", "~~~\na\nb", "\n"},
		{"table", "| Day | Hours |\n|---|:-:|\n| Mon | 9 to **5** |\n| | closed |\nBye.", "\nDay: Mon, Hours: 9 to 5.\nHours: closed.\nBye."},
		{"rows without names", "| a | b |\n| c | d |", "a, b.\nc, d.\n"},
		{"soft line break", "The quick\nbrown fox\nJumps", "The quick brown fox\nJumps"},
		{"carriage returns", "- a\r\n- b\r\nC", "a.\nb.\nC"},
		{"asterisks alone", "**", ""},
		{"unclosed", "**Sure, [a link](http", "Sure, [a link](http"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, 1000} {
				spans := spansOf(c.text, size)
				got := strings.ReplaceAll(spans.Spoken(), "  ", " ")
				if want := strings.ReplaceAll(c.want, "  ", " "); got != want {
					t.Errorf("in pieces of %d bytes %q is spoken, want %q", size, got, want)
				}
				if written := writtenOf(spans); written != c.text {
					t.Errorf("in pieces of %d bytes %q was written, want %q", size, written, c.text)
				}
			}
		})
	}
}

// FuzzMarkdown: however the text is divided, nothing is lost of what was written, and the same is spoken.
func FuzzMarkdown(f *testing.F) {
	f.Add("# A\n- **b** [c](d)\n|e|\n|-|\n```\nf\n```\n😊 `g` <b>h</b> &amp; \\* !", 3)
	f.Add("1. x\r\n> y_z_ ~~q~~【1†a】[^1]", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if !utf8.ValidString(text) || len(text) > 2000 {
			return
		}
		size = 1 + (size&0x7fffffff)%17
		whole, parts := spansOf(text, len(text)+1), spansOf(text, size)
		if writtenOf(whole) != text || writtenOf(parts) != text {
			t.Errorf("%q became %q and %q", text, writtenOf(whole), writtenOf(parts))
		}
		if whole.Spoken() != parts.Spoken() {
			t.Errorf("%q is spoken as %q, and in pieces of %d bytes as %q", text, whole.Spoken(), size, parts.Spoken())
		}
	})
}

// FuzzSegments: whatever a model writes and however it arrives, nothing is lost or spoken twice, and the segments are the same.
func FuzzSegments(f *testing.F) {
	f.Add("Hello there. How are you, my dear old friend, today? 3. Mai, z. B.", 3)
	f.Add("Dr. A. B.\n..., !? नमस्ते। ครับ 你好。", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if !utf8.ValidString(text) || len(text) > 2000 {
			return
		}
		size = 1 + (size&0x7fffffff)%17
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		want := squeeze(spansOf(text, len(text)+1).Spoken())
		for _, language := range []string{"en", "de", ""} {
			s := NewSegmenter(language)
			var spoken strings.Builder
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				for _, segment := range s.Push(rest[:n]) {
					spoken.WriteString(segment.Spoken())
				}
				rest = rest[n:]
			}
			for _, segment := range s.Flush() {
				spoken.WriteString(segment.Spoken())
			}
			if got := squeeze(spoken.String()); got != want {
				t.Errorf("%q is spoken as %q, want %q", text, got, want)
			}
		}
	})
}
