package answering

import (
	"fmt"
	"time"
)

// MessagePause is the quiet after a mailbox's greeting that stands for a beep.
const MessagePause = 1800 * time.Millisecond

// Options are the settings of a Judge.
type Options struct {
	Window    time.Duration // after which OnTimeout is the verdict
	NoSpeech  time.Duration // of silence after which nobody is there
	OnTimeout Class
	Phrases   []OwnPhrases // of the tenant, before those of this package
	// Transcripts says that the speech is recognised: a verdict by timing alone waits for the words.
	Transcripts bool
	// AsksModel says that ModelDue is answered by ModelAnswered.
	AsksModel bool
}

// Thresholds of the timing of speech.
const (
	shortGreeting = 2500 * time.Millisecond // "Hello?", a name
	sentence      = 5 * time.Second         // "Smith and Sons, Anna speaking, how can I help you?"
	longGreeting  = 6 * time.Second         // no person speaks so long before a pause

	greetingPause = 700 * time.Millisecond // after a short greeting, for the other side to speak
	sentencePause = time.Second
	answerPause   = 1500 * time.Millisecond // after anything that is no machine's
	wordsWait     = 1500 * time.Millisecond // for the transcript of what was spoken
	leastSpeech   = 80 * time.Millisecond   // less is a click
	clearSpeech   = 160 * time.Millisecond  // sound like speech, without which it may be noise
	mostNoise     = 500 * time.Millisecond  // sound that is rather noise counts as speech so long: single words may be taken for it
	wordsCount    = time.Second             // and after a recognised word
	leastBefore   = 1200 * time.Millisecond // of speech before a beep, or it is no mailbox's

	// Who speaks again so soon after it was decided that they are a person does not reply to the agent: a mailbox that begins like a person.
	greetingGoesOn = time.Second

	beepAfterPerson = 20 * time.Second // from the answer, in which a beep shows that the person was a mailbox
)

// Judge follows a call from its answer on, and decides who answered. It has no clock: every method receives the time.
// It is used by one goroutine, and is cheap enough for every call: it computes one spectrum for each frame with sound.
type Judge struct {
	options  Options
	answered time.Time
	now      time.Time

	tones    toneFinder
	signals  signals
	speech   speech
	noise    time.Duration // of sound that is no speech, without interruption
	words    words
	matched  []pattern
	previous Class     // of the verdict before; "" before the first
	before   time.Time // when somebody last spoke before that
	open     bool      // it is the other side's turn to be a person: whoever speaks is
	decided  time.Time // when the verdict before was used
	greeting bool      // what is said after the verdict that it is a person is still the greeting

	evidence []Evidence
	verdict  *Verdict
	beeped   time.Time     // when a beep ended
	pushed   time.Time     // when the last frame ended; zero before the first one
	quiet    time.Duration // of the frames since somebody spoke or a tone sounded
	asked    bool          // the language model
}

// NewJudge begins at the time of the answer.
func NewJudge(o Options, answered time.Time) *Judge {
	return &Judge{options: o, answered: answered, now: answered, words: newWords(o.Phrases)}
}

// PushFrame handles a frame of 20 ms at 16 kHz that ended at a time. sound: it is louder than the room. noise: it does not sound like
// speech, which counts from half a second on, unless words are recognised in it.
func (j *Judge) PushFrame(pcm []int16, sound, noise bool, at time.Time) {
	ended, over := j.tones.push(pcm, at)
	if over {
		if e, ok := j.signals.pushTone(ended, j.mayRing()); ok {
			j.decide(e, at)
		}
	}
	sounding, isTone := j.tones.sounding()
	if isTone && isFax(sounding) {
		detail := hertz(sounding.frequency)
		j.decide(Evidence{Layer: Tones, Class: Fax, Cause: FaxTone, Confidence: 0.97, Detail: detail}, at)
	}
	if isTone {
		j.signals.pending = tone{} // it is not quiet after the tone before
	} else if beep, ok := j.signals.pushFrame(j.tones.level, at); ok {
		j.handleBeep(beep, at)
	}
	switch {
	case sound && noise:
		j.noise += frame
	case sound:
		j.noise = 0
	}
	voiced := sound && (!noise || j.noise <= mostNoise || at.Sub(j.words.heardAt) < wordsCount)
	isClear := voiced && !noise && !j.tones.inTone()
	if isClear {
		j.speech.clear += frame
	}
	if j.pushed = at; voiced || isTone {
		j.quiet = 0
	} else {
		j.quiet += frame
	}
	wasEmpty := j.speech.isEmpty()
	another := j.speech.push(voiced && !j.tones.inTone(), isClear, j.tones.level, at, j.previous != "")
	if another {
		j.matched = nil
		j.words.restart()
	}
	if another || wasEmpty && !j.speech.isEmpty() {
		j.greeting = j.previous == Human && at.Sub(j.decided) <= greetingGoesOn
	}
	j.Elapsed(at)
}

func isFax(t tone) bool {
	return t.frequency > faxHertz-faxWidth && t.frequency < faxHertz+faxWidth && t.duration() >= faxLength
}

// mayRing reports whether the line may be ringing: before anybody has spoken, or while an assistant looks for the
// person.
func (j *Judge) mayRing() bool { return j.previous == Screening || j.speech.total < leastSpeech }

// handleBeep handles a beep. After speech it is a mailbox's.
func (j *Judge) handleBeep(beep tone, at time.Time) {
	j.beeped = beep.end
	if j.previous == Human && (j.options.Transcripts || at.Sub(j.answered) > beepAfterPerson) {
		return // another call waits, or something else on the person's side
	}
	if j.speech.spoken() >= leastBefore || j.previous == Screening {
		detail := hertz(beep.frequency)
		j.decide(Evidence{Layer: Tones, Class: Voicemail, Cause: Beep, Confidence: 0.95, Detail: detail}, at)
	}
}

// Transcript handles a transcript of the line: of a segment of speech, interim or final.
func (j *Judge) Transcript(text string, final bool, at time.Time) {
	j.words.add(text, final, at)
	if j.words.text() != "" && j.speech.isEmpty() { // too soft to be noticed
		j.speech.first, j.speech.last = at.Add(-leastSpeech), at
	}
	for _, p := range j.words.newMatches() {
		if j.previous == Human && p.weight < surely && (!j.greeting || p.class == Screening) { // people say that in a conversation
			continue
		}
		j.matched = append(j.matched, p)
		j.addEvidence(p.evidence(), at)
	}
	j.Elapsed(at)
}

// Elapsed decides what is certain by now.
func (j *Judge) Elapsed(now time.Time) {
	j.now = now
	j.speech.elapsed(now)
	if beep, ok := j.signals.elapsed(now); ok {
		j.handleBeep(beep, now)
	}
	if j.verdict != nil {
		return
	}
	if e, ok := j.byPhrases(now); ok {
		j.decide(e, now)
		return
	}
	if e, ok := j.byTiming(now); ok {
		j.decide(e, now)
		return
	}
	if j.previous == "" && !now.Before(j.answered.Add(j.options.Window)) {
		window := j.options.Window.String()
		j.decide(Evidence{Layer: Clock, Class: j.options.OnTimeout, Cause: WindowOver, Confidence: 0.3, Detail: window}, now)
	}
}

// byPhrases returns the class of the phrases. A machine's is certain at once, a person's when they have finished.
// Where phrases of two classes matched, the language model decides if there is one.
func (j *Judge) byPhrases(now time.Time) (Evidence, bool) {
	top, ok := best(j.matched)
	if !ok || j.waitsForModel() {
		return Evidence{}, false
	}
	if top.class == Human && j.speech.silence(now) < greetingPause {
		return Evidence{}, false
	}
	return top.evidence(), true
}

// byTiming returns the class by how long somebody has spoken, and has been silent since, given that no phrase matched.
func (j *Judge) byTiming(now time.Time) (Evidence, bool) {
	spoken, silence := j.speech.spoken(), j.speech.silence(now)
	switch {
	case j.previous != "" && !j.mayBePerson():
		return Evidence{}, false
	case j.speech.isEmpty(), !j.isSpeech() && silence >= wordsWait:
		return j.bySilence(now)
	case !j.isSpeech() || silence < greetingPause || j.lacksWords(silence) || len(j.matched) > 0 && j.previous != "" || j.awaitsBeep():
		return Evidence{}, false
	case spoken <= shortGreeting:
		return timing(Human, ShortGreeting, 0.9, spoken), true
	case j.previous != "" && spoken > sentence: // who takes up the phone says a few words
		return Evidence{}, false
	case spoken <= sentence && silence >= sentencePause:
		return timing(Human, Sentence, 0.75, spoken), true
	case spoken > longGreeting && !j.options.Transcripts:
		return timing(Voicemail, LongGreeting, 0.7, spoken), true
	case silence >= answerPause:
		return timing(Human, Sentence, 0.6, spoken), true
	}
	return Evidence{}, false
}

// isSpeech reports whether the sound so far is surely speech, by a word or by its sound; after the first verdict, by a word where
// words are recognised.
func (j *Judge) isSpeech() bool {
	if j.words.text() != "" {
		return true
	}
	return j.speech.clear >= clearSpeech && (j.previous == "" || !j.options.Transcripts)
}

// awaitsBeep reports whether a tone sounds, or has just sounded, that may be a beep.
func (j *Judge) awaitsBeep() bool { return j.tones.inTone() || !j.signals.pending.end.IsZero() }

// mayBePerson reports whether whoever speaks after the first verdict may be a person who has taken up the phone, by timing
// alone: after a mailbox or an assistant, only once its turn is over.
func (j *Judge) mayBePerson() bool {
	return j.open || j.previous == Silence || j.previous == Unknown
}

func timing(class Class, cause Cause, confidence float64, spoken time.Duration) Evidence {
	detail := fmt.Sprintf("%d ms of speech", spoken.Milliseconds())
	return Evidence{Layer: Timing, Class: class, Cause: cause, Confidence: confidence, Detail: detail}
}

// bySilence returns the class while nobody has spoken.
func (j *Judge) bySilence(now time.Time) (Evidence, bool) {
	since := j.answered
	if j.signals.ringing.After(since) {
		since = j.signals.ringing
	}
	if j.previous != "" || now.Sub(since) < j.options.NoSpeech {
		return Evidence{}, false
	}
	after := j.options.NoSpeech.String()
	return Evidence{Layer: Timing, Class: Silence, Cause: NoSpeech, Confidence: 0.8, Detail: after}, true
}

// lacksWords reports whether the transcript of what was spoken may still come.
func (j *Judge) lacksWords(silence time.Duration) bool {
	return j.options.Transcripts && silence < wordsWait && j.words.finalAt.Before(j.speech.last)
}

// waitsForModel reports whether the language model is to say, or says just now, which of the phrases counts.
func (j *Judge) waitsForModel() bool {
	return j.options.AsksModel && j.previous == "" && disagree(j.matched) && j.now.Before(j.answered.Add(j.options.Window))
}

// ModelDue returns what was said so far if the layers disagree about it, and the language model was not asked yet:
// phrases of two classes, or speech as long as a machine's without a phrase.
func (j *Judge) ModelDue() (transcript string, ok bool) {
	if !j.options.AsksModel || j.asked || j.verdict != nil || j.words.text() == "" {
		return "", false
	}
	if j.waitsForModel() || len(j.matched) == 0 && j.speech.spoken() > sentence {
		j.asked = true
		return j.words.text(), true
	}
	return "", false
}

// ModelAnswered handles the class that the language model has found; Unknown for none.
func (j *Judge) ModelAnswered(class Class, at time.Time) {
	e := Evidence{Layer: Model, Class: class, Cause: ModelJudged, Confidence: 0.85}
	if class == Unknown {
		j.options.AsksModel = false // the other layers decide
		j.addEvidence(e, at)
		return
	}
	j.decide(e, at)
}

// addEvidence records what a layer found.
func (j *Judge) addEvidence(e Evidence, at time.Time) Evidence {
	e.After = at.Sub(j.answered)
	const most = 20
	for _, known := range j.evidence {
		if known.Layer == e.Layer && known.Class == e.Class && known.Cause == e.Cause && known.Detail == e.Detail {
			return e
		}
	}
	if len(j.evidence) < most {
		j.evidence = append(j.evidence, e)
	}
	return e
}

// decide makes evidence the verdict, unless there is one. Of a class that was the verdict before it is none, except for a person who is
// expected, and neither is the menu of a mailbox that has its message.
func (j *Judge) decide(e Evidence, at time.Time) {
	e = j.addEvidence(e, at)
	expected := j.open && e.Class == Human
	if j.verdict != nil || e.Class == j.previous && !expected || j.previous == Voicemail && j.open && e.Class == Menu {
		return
	}
	v := Verdict{Evidence: e, All: j.evidence}
	if !j.speech.first.IsZero() {
		v.Spoke = at.Sub(j.speech.begin())
	}
	j.verdict = &v
}

// Verdict returns the verdict; nil before there is one.
func (j *Judge) Verdict() *Verdict { return j.verdict }

// Continue judges again from now on: what follows may be somebody else.
func (j *Judge) Continue(now time.Time) {
	if j.verdict != nil {
		j.previous = j.verdict.Class
		j.greeting = j.verdict.Cause == WindowOver && !j.speech.isEmpty() && j.speech.silence(now) < utteranceGap
	}
	j.verdict, j.matched, j.now, j.decided, j.open = nil, nil, now, now, false
	if !j.greeting {
		j.restart()
	}
}

// restart judges what follows alone.
func (j *Judge) restart() {
	j.before = j.lastSpeech()
	j.speech = speech{total: j.speech.total}
	j.words.restart()
}

// ExpectPerson says that a mailbox or an assistant has had its turn: whoever speaks from now on, and says no phrase of a machine, is a
// person.
func (j *Judge) ExpectPerson(now time.Time) {
	j.open = true
	j.matched, j.now = nil, now
	j.restart()
}

// Speaking returns for how long the other side has been speaking; 0 while it is silent.
func (j *Judge) Speaking(now time.Time) time.Duration {
	if j.speech.isEmpty() || j.speech.silence(now) > 2*onsetWindow*frame {
		return 0
	}
	return j.speech.spoken()
}

// HasPhrase reports whether a phrase occurred since Continue or ExpectPerson.
func (j *Judge) HasPhrase() bool { return len(j.matched) > 0 }

// Beeped reports whether the last thing on the line was a beep, rather than speech.
func (j *Judge) Beeped() bool { return !j.beeped.IsZero() && j.beeped.After(j.lastSpeech()) }

// lastSpeech returns when somebody last spoke; zero for never.
func (j *Judge) lastSpeech() time.Time {
	if j.speech.last.After(j.before) {
		return j.speech.last
	}
	return j.before
}

// MayLeaveMessage reports whether a mailbox has had its turn: after a beep, if one is awaited, or where it is quiet.
func (j *Judge) MayLeaveMessage(awaitBeep bool, now time.Time) bool {
	return awaitBeep && j.Beeped() || j.Quiet(now) >= MessagePause
}

// BeepEnded returns when the last beep ended; zero for none.
func (j *Judge) BeepEnded() time.Time { return j.beeped }

// lineSilent is the time without frames after which a line has none because it is silent; before, they are late.
const lineSilent = time.Second

// Quiet returns how long nobody has spoken and no tone has sounded; since the answer, if nobody ever has. Frames that are late, because
// this machine or the network has no time for them, are not quiet.
func (j *Judge) Quiet(now time.Time) time.Duration {
	since := j.answered
	for _, t := range []time.Time{j.lastSpeech(), j.lastTone()} {
		if t.After(since) {
			since = t
		}
	}
	quiet := now.Sub(since)
	if !j.pushed.IsZero() && now.Sub(j.pushed) < lineSilent {
		quiet = min(quiet, j.quiet)
	}
	return quiet
}

// lastTone returns when a tone last sounded, even if the last frame of one is missing; zero for never.
func (j *Judge) lastTone() (end time.Time) {
	if n := len(j.signals.past); n > 0 {
		end = j.signals.past[n-1].end
	}
	if current := j.tones.current; j.tones.frames >= leastTone && current.end.After(end) {
		end = current.end
	}
	return end
}

// DueAt returns when Elapsed has to be called at the latest; zero for never.
func (j *Judge) DueAt() (next time.Time) {
	consider := func(t time.Time) {
		if t.After(j.now) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	consider(j.signals.dueAt())
	if j.verdict != nil {
		return next
	}
	if j.previous == "" {
		consider(j.answered.Add(j.options.Window))
	}
	consider(j.answered.Add(j.options.NoSpeech))
	consider(j.signals.ringing.Add(j.options.NoSpeech))
	if j.speech.isEmpty() {
		return next
	}
	for _, pause := range []time.Duration{greetingPause, sentencePause, answerPause} {
		consider(j.speech.last.Add(pause))
	}
	return next
}

// hertz names a tone.
func hertz(frequency float64) string { return fmt.Sprintf("%.0f Hz", frequency) }
