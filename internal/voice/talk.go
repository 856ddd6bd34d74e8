package voice

import (
	"time"
	"unicode"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/voice/turn"
)

// talkMeter is the session's journal. It measures what goes to the journal behind it, and reports the sums at the end of each turn.
type talkMeter struct {
	Journal
	sum                       dialogue.Talk // that is not reported yet
	callerAsked, agentAsked   asked
	counts                    bool      // caller and agent speak with each other
	callerSpeaks, agentSpeaks bool      // since at
	at                        time.Time // until when the time is measured; zero before the caller's first frame
	waitFrom                  time.Time // end of the caller's turn that has no answer yet; zero for none
	spokeAt                   time.Time // when the caller last began to speak
	typed                     int       // words of the caller's turn that were typed
}

func newTalkMeter(j Journal, history []dialogue.Message) *talkMeter {
	m := &talkMeter{Journal: j, counts: true}
	for _, message := range history {
		switch message.Role {
		case dialogue.RoleUser:
			m.callerAsked.add(message.Content)
		case dialogue.RoleAssistant:
			m.agentAsked.add(message.Content)
		}
	}
	return m
}

// keepTalk measures the time since the last call, in which each side spoke as it did then.
func (s *Session) keepTalk(now time.Time) {
	m := s.talk
	if m.counts && !m.at.IsZero() {
		m.measure(now.Sub(m.at))
	}
	if !m.at.IsZero() {
		m.at = now
	}
	m.counts = !s.held && s.transfer == nil && s.phase.talks()
	if !m.counts {
		m.waitFrom = time.Time{}
	}
	m.callerSpeaks = s.input.speech.Speaking()
	m.agentSpeaks = now.Before(s.output.lastPlayed.Add(dialogue.FrameDuration)) || !s.nextFrameAt().IsZero()
}

func (m *talkMeter) measure(d time.Duration) {
	m.sum.Measured += d
	if m.callerSpeaks {
		m.sum.CallerSpeech += d
	}
	if m.agentSpeaks {
		m.sum.AgentSpeech += d
	}
	if !m.callerSpeaks && !m.agentSpeaks {
		m.sum.Silent += d
	}
}

// callerFrame handles what a frame of the caller changes: that they speak is known only after a moment, and that they have stopped, too.
func (m *talkMeter) callerFrame(a turn.Activity, lastVoice, now time.Time) {
	if m.at.IsZero() {
		m.at = now
	}
	switch a.Change {
	case audio.Started:
		m.spokeAt = now.Add(-a.Speech)
		m.moveToCaller(a.Speech)
	case audio.Ended:
		m.moveToCaller(lastVoice.Sub(now))
	}
}

func (m *talkMeter) moveToCaller(d time.Duration) {
	if !m.counts {
		return
	}
	m.sum.CallerSpeech += d
	if !m.agentSpeaks {
		m.sum.Silent -= d
	}
}

// callerTyped counts words that are not spoken.
func (m *talkMeter) callerTyped(text string) {
	n, _ := countWords(text)
	m.typed += n
}

// turnEnded begins to measure how long the caller waits; ended is when their turn was over.
func (m *talkMeter) turnEnded(ended, now time.Time) {
	until := m.spokeAt
	if until.Before(m.waitFrom) { // they have typed
		until = now
	}
	m.endWait(until)
	m.waitFrom = ended
}

// agentAudible ends the caller's waiting.
func (m *talkMeter) agentAudible(now time.Time) { m.endWait(now) }

func (m *talkMeter) endWait(at time.Time) {
	if m.waitFrom.IsZero() {
		return
	}
	m.sum.Waits++
	m.sum.LongestWait = max(m.sum.LongestWait, at.Sub(m.waitFrom))
	m.waitFrom = time.Time{}
}

// finish reports the rest at the end of the conversation.
func (m *talkMeter) finish(now time.Time) {
	m.endWait(now)
	m.report()
}

func (m *talkMeter) report() {
	m.Journal.TalkMeasured(m.sum)
	m.sum = dialogue.Talk{}
}

// EntryAdded counts words, repeated questions and failed tools.
func (m *talkMeter) EntryAdded(e Entry) {
	m.Journal.EntryAdded(e)
	switch {
	case e.Failed:
		m.sum.FailedTools++
	case e.Ignored:
		n, complete := countWords(e.Text)
		m.sum.CallerWords += n
		m.sum.CallerUncounted = m.sum.CallerUncounted || !complete
	case e.Tool != nil || e.Keys || e.Text == "" || e.Agent == "" || !m.counts: // an entry without agent is a person's
	case e.Role == dialogue.RoleUser:
		m.callerSaid(e.Text)
	case e.Role == dialogue.RoleAssistant:
		m.agentSaid(e)
	}
}

func (m *talkMeter) callerSaid(text string) {
	n, complete := countWords(text)
	m.sum.CallerWords += max(0, n-m.typed)
	m.typed = 0
	m.sum.CallerUncounted = m.sum.CallerUncounted || !complete
	m.sum.CallerTurns++
	if isPunctuated(text) {
		m.sum.PunctuatedTurns++
	}
	m.sum.CallerRepeats += m.callerAsked.add(text)
}

func (m *talkMeter) agentSaid(e Entry) {
	n, complete := countWords(e.Text)
	m.sum.AgentWords += n
	m.sum.AgentUncounted = m.sum.AgentUncounted || !complete
	if !e.SilencePrompt {
		m.sum.AgentRepeats += m.agentAsked.add(e.Text)
	}
}

// Overlapped counts interruptions.
func (m *talkMeter) Overlapped(o Overlap) {
	m.Journal.Overlapped(o)
	if o.Outcome == Interrupted {
		m.sum.Interruptions++
	}
}

// TurnAnswered reports the sums with the turn.
func (m *talkMeter) TurnAnswered(t Turn) {
	m.report()
	m.Journal.TurnAnswered(t)
}

// unseparated are scripts that do not separate words, and whose characters are not words either.
var unseparated = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// countWords returns how many words a text has: a Chinese or Japanese character counts as one. complete is false if there are words that
// cannot be counted, as their script does not separate them.
func countWords(text string) (n int, complete bool) {
	words := splitWords(text)
	for _, word := range words {
		for _, r := range word {
			if unicode.In(r, unseparated...) {
				return 0, false
			}
		}
	}
	return len(words), true
}

// splitWords returns the lower-case words of a text, and each Chinese or Japanese character as one.
func splitWords(text string) (words []string) {
	for _, word := range turn.Words(text) {
		begin := 0
		for at, r := range word {
			if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				continue
			}
			if at > begin {
				words = append(words, word[begin:at])
			}
			begin = at + len(string(r))
			words = append(words, word[at:begin])
		}
		if begin < len(word) {
			words = append(words, word[begin:])
		}
	}
	return words
}
