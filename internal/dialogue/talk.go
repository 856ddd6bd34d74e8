package dialogue

import "time"

// Talk is how caller and agent spoke with each other in a call, or in a part of it: sums that add up. What the caller says to a person, and
// what happens on hold, is not part of it. Durations are stored in nanoseconds.
type Talk struct {
	// Measured is the time in which both were connected, from the caller's first frame of audio on; Silent the part of it in which neither
	// spoke.
	Measured time.Duration `json:"measured,omitempty"`
	Silent   time.Duration `json:"silent,omitempty"`
	// CallerSpeech is the time for which the caller spoke, AgentSpeech that for which the agent's speech was played.
	CallerSpeech time.Duration `json:"caller_speech,omitempty"`
	AgentSpeech  time.Duration `json:"agent_speech,omitempty"`
	// CallerWords were spoken, not typed or entered with keys; AgentWords were played.
	CallerWords int `json:"caller_words,omitempty"`
	AgentWords  int `json:"agent_words,omitempty"`
	// CallerUncounted and AgentUncounted report that there are words that are not counted, as their script does not separate them.
	CallerUncounted bool `json:"caller_uncounted,omitempty"`
	AgentUncounted  bool `json:"agent_uncounted,omitempty"`
	// Interruptions is how often the caller interrupted the agent.
	Interruptions int `json:"interruptions,omitempty"`
	// Waits is the number of turns after which the caller waited for the agent, LongestWait the longest of these waits: from the end of the
	// turn to the agent's first audio, or to what ended the wait without any.
	Waits       int           `json:"waits,omitempty"`
	LongestWait time.Duration `json:"longest_wait,omitempty"`
	// CallerRepeats and AgentRepeats are questions that the same side had asked before in nearly the same words.
	CallerRepeats int `json:"caller_repeats,omitempty"`
	AgentRepeats  int `json:"agent_repeats,omitempty"`
	// CallerTurns are those with words, PunctuatedTurns those of them with punctuation, without which no questions are found.
	CallerTurns     int `json:"caller_turns,omitempty"`
	PunctuatedTurns int `json:"punctuated_turns,omitempty"`
	// FailedTools is the number of tool executions that failed.
	FailedTools int `json:"failed_tools,omitempty"`
}

// Add returns the sums of two parts of a call.
func (t Talk) Add(other Talk) Talk {
	t.Measured += other.Measured
	t.Silent += other.Silent
	t.CallerSpeech += other.CallerSpeech
	t.AgentSpeech += other.AgentSpeech
	t.CallerWords += other.CallerWords
	t.AgentWords += other.AgentWords
	t.CallerUncounted = t.CallerUncounted || other.CallerUncounted
	t.AgentUncounted = t.AgentUncounted || other.AgentUncounted
	t.Interruptions += other.Interruptions
	t.Waits += other.Waits
	t.LongestWait = max(t.LongestWait, other.LongestWait)
	t.CallerRepeats += other.CallerRepeats
	t.AgentRepeats += other.AgentRepeats
	t.CallerTurns += other.CallerTurns
	t.PunctuatedTurns += other.PunctuatedTurns
	t.FailedTools += other.FailedTools
	return t
}

// SilenceRatio returns the share of silence, 0 to 1; nil if the caller sent no audio.
func (t Talk) SilenceRatio() *float64 {
	if t.Measured <= 0 {
		return nil
	}
	ratio := min(1, max(0, t.Silent.Seconds()/t.Measured.Seconds()))
	return &ratio
}

// LongestWaitMS returns the caller's longest wait in milliseconds; nil if there was none.
func (t Talk) LongestWaitMS() *float64 {
	if t.Waits == 0 {
		return nil
	}
	ms := float64(t.LongestWait) / float64(time.Millisecond)
	return &ms
}

// CallerRepeatedQuestions returns the number of the caller's repeated questions; nil if the recogniser writes no punctuation.
func (t Talk) CallerRepeatedQuestions() *int {
	if t.CallerTurns > 0 && t.PunctuatedTurns == 0 {
		return nil
	}
	return &t.CallerRepeats
}

// CallerWordsPerMinute returns the caller's rate of speech; nil if it cannot be known.
func (t Talk) CallerWordsPerMinute() *float64 {
	return wordsPerMinute(t.CallerWords, t.CallerUncounted, t.CallerSpeech)
}

// AgentWordsPerMinute returns the agent's rate of speech; nil if it cannot be known.
func (t Talk) AgentWordsPerMinute() *float64 {
	return wordsPerMinute(t.AgentWords, t.AgentUncounted, t.AgentSpeech)
}

// leastSpeech is the least speech of which a rate is known.
const leastSpeech = time.Second

func wordsPerMinute(words int, uncounted bool, speech time.Duration) *float64 {
	if words == 0 || uncounted || speech < leastSpeech {
		return nil
	}
	rate := float64(words) / speech.Minutes()
	return &rate
}
