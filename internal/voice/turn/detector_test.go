package turn

import (
	"slices"
	"testing"
	"time"

	"parley/internal/dialogue"
)

const ms = time.Millisecond

// start is when the tables' time begins.
var start = time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)

// happening is one call of the detector, at a time after start, and the action
// that it must answer with.
type happening struct {
	at   time.Duration
	what func(t *Detector, now time.Time) Action
	want Action
}

func starts(t *Detector, now time.Time) Action   { return t.SpeechStarted(now.Add(-60*ms), now, true) }
func goesOn(t *Detector, now time.Time) Action   { return t.SpeechContinues(now, true) }
func sounds(t *Detector, now time.Time) Action   { return t.SpeechStarted(now.Add(-60*ms), now, false) }
func soundsOn(t *Detector, now time.Time) Action { return t.SpeechContinues(now, false) }
func ends(t *Detector, now time.Time) Action     { return t.SpeechEnded(now.Add(-200*ms), now) }
func dismissed(t *Detector, now time.Time) Action {
	if !t.IsNoise(now) {
		return actions
	}
	return t.SpeechDismissed(t.lastSpeechSign(), now)
}

func speechStarted(t *Detector, now time.Time) Action {
	return t.TranscriptReceived(dialogue.Transcript{SpeechStarted: true}, now)
}

func elapsed(t *Detector, now time.Time) Action { return t.Elapsed(now) }
func lost(t *Detector, now time.Time) Action    { t.RecognitionLost(now); return t.Elapsed(now) }
func back(t *Detector, now time.Time) Action    { t.RecognitionRestored(now); return t.Elapsed(now) }

func audible(t *Detector, now time.Time) Action { t.AgentAudible(now); return None }
func dropped(t *Detector, now time.Time) Action { t.GenerationDropped(now); return None }

func typed(text string) func(*Detector, time.Time) Action {
	return func(t *Detector, now time.Time) Action { return t.TextTyped(text, now) }
}

func final(text string) func(*Detector, time.Time) Action {
	return func(t *Detector, now time.Time) Action {
		return t.TranscriptReceived(dialogue.Transcript{Text: text, Final: true, EndOfTurn: false}, now)
	}
}

func complete(text string) func(*Detector, time.Time) Action {
	return func(t *Detector, now time.Time) Action {
		return t.TranscriptReceived(dialogue.Transcript{Text: text, Final: true, EndOfTurn: true}, now)
	}
}

func interim(text string) func(*Detector, time.Time) Action {
	return func(t *Detector, now time.Time) Action {
		return t.TranscriptReceived(dialogue.Transcript{Text: text, Final: false, EndOfTurn: false}, now)
	}
}

func likely(text string) func(*Detector, time.Time) Action {
	return func(t *Detector, now time.Time) Action {
		return t.TranscriptReceived(dialogue.Transcript{Text: text, LikelyEndOfTurn: true}, now)
	}
}

func agentSpeaks(agent bool) func(*Detector, time.Time) Action {
	return func(t *Detector, now time.Time) Action {
		if agent {
			t.AgentStarted(now)
		} else {
			t.AgentStopped(now)
		}
		return None
	}
}

func taken(want string) func(*Detector, time.Time) Action {
	return func(t *Detector, now time.Time) Action {
		if t.Text() != want {
			return actions
		}
		t.TurnCommitted(now)
		return None
	}
}

// noise interrupts the agent without a word, and ends or does not.
func noise(at time.Duration, last Action) []happening {
	return []happening{{at, starts, None}, {at + 440*ms, goesOn, Interrupt}, {at + 640*ms, ends, None}, {at + 700*ms, final(""), last}, {at + 800*ms, agentSpeaks(true), None}}
}

// givenUp commits a turn whose final transcript does not come.
func givenUp() []happening {
	return []happening{{0, starts, None}, {800 * ms, interim("one ticket to"), None}, {1000 * ms, ends, Generate}, {3800 * ms, elapsed, Commit}, {3810 * ms, taken("one ticket to"), None}}
}

// noisy makes the caller's sound noise from now on.
func noisy(t *Detector, _ time.Time) Action { t.noisy = true; return None }

// level makes the caller's sound as loud as given, dBFS.
func level(dbfs float64) func(*Detector, time.Time) Action {
	return func(t *Detector, _ time.Time) Action { t.loudest = dbfs; return None }
}

// clean ends what noisy began.
func clean(t *Detector, _ time.Time) Action { t.noisy = false; return None }

// conversations are scripts of what a detector receives and answers.
var conversations = map[string][]happening{
	"a short word in noise before the first audio": {{0, agentSpeaks(true), None}, {10 * ms, noisy, None}, {100 * ms, interim("what"), Pause},
		{400 * ms, elapsed, None}, {500 * ms, elapsed, Resume}, {600 * ms, final("what"), None}},
	"a short word in noise": {{0, agentSpeaks(true), None}, {10 * ms, audible, None}, {20 * ms, noisy, None}, {100 * ms, interim("what"), Pause},
		{500 * ms, elapsed, Resume}, {600 * ms, final("what"), None}, {2 * time.Second, agentSpeaks(false), None}, {2100 * ms, taken(""), None}},
	"two words in noise": {{0, agentSpeaks(true), None}, {10 * ms, audible, None}, {20 * ms, noisy, None}, {100 * ms, interim("wait"), Pause},
		{300 * ms, interim("wait please"), Interrupt}},
	"a short word in noise that ducked the agent": {{0, agentSpeaks(true), None}, {10 * ms, audible, None}, {100 * ms, sounds, None},
		{300 * ms, soundsOn, Duck}, {310 * ms, noisy, None}, {320 * ms, interim("what"), Pause}},
	"sure speech after a short word in noise": {{0, agentSpeaks(true), None}, {10 * ms, audible, None}, {100 * ms, sounds, None}, {110 * ms, noisy, None},
		{120 * ms, interim("wait"), Pause}, {140 * ms, goesOn, Interrupt}},
	"nothing": {{0, elapsed, None}, {time.Hour, elapsed, None}},
	"a final after it was given up": append(givenUp(), happening{3820 * ms, agentSpeaks(true), None}, happening{4500 * ms, final("One ticket."), None},
		happening{4600 * ms, taken(""), None}),
	"an interim after its final was given up": append(givenUp(), happening{3820 * ms, agentSpeaks(true), None}, happening{4500 * ms, interim("one ticket"), None}),
	"more after a final was given up": append(givenUp(), happening{3820 * ms, agentSpeaks(true), None}, happening{4500 * ms, final("one ticket two Rome"), Interrupt},
		happening{4510 * ms, taken("rome"), None}),
	"something else after a final was given up": append(givenUp(), happening{3820 * ms, agentSpeaks(true), None}, happening{4500 * ms, final("hello"), Interrupt}),
	"the same said again after it was given up": append(givenUp(), happening{3820 * ms, agentSpeaks(true), None}, happening{4500 * ms, starts, None},
		happening{4600 * ms, final("one ticket to"), Interrupt}),
	"a turn that is likely over": {{0, starts, None}, {700 * ms, interim("one ticket"), None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1010 * ms, likely("one ticket"), Generate},
		{1020 * ms, complete("one ticket"), None}, {1100 * ms, elapsed, Commit}},
	"a turn that is likely over before the silence is noticed": {{0, starts, None}, {950 * ms, likely("one ticket"), None}, {1000 * ms, ends, Generate}},
	"a turn that was likely over and resumes": {{0, starts, None}, {1000 * ms, ends, None}, {1010 * ms, likely("one ticket"), Generate}, {1100 * ms, starts, Discard},
		{1120 * ms, interim("one ticket"), None}, {1300 * ms, ends, Generate}},
	"default endpoint": {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1100 * ms, final("one ticket"), Generate},
		{1399 * ms, elapsed, None}, {1400 * ms, elapsed, Commit}, {1400 * ms, taken("one ticket"), None}, {5 * time.Second, elapsed, None}},
	"complete endpoint": {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1010 * ms, complete("one ticket"), Generate},
		{1099 * ms, elapsed, None}, {1100 * ms, elapsed, Commit}},
	"complete before the silence is noticed": {{0, starts, None}, {800 * ms, goesOn, None}, {900 * ms, complete("one ticket"), None},
		{1000 * ms, ends, Generate}, {1099 * ms, elapsed, None}, {1100 * ms, elapsed, Commit}},
	"complete, then the caller goes on": {{0, starts, None}, {900 * ms, complete("one ticket"), None}, {950 * ms, goesOn, None},
		{1150 * ms, ends, None}, {1250 * ms, final("please"), Generate}, {1549 * ms, elapsed, None}, {1550 * ms, elapsed, Commit}, {1550 * ms, taken("one ticket please"), None}},
	"a soft sound after a complete utterance": {{0, starts, None}, {900 * ms, complete("one ticket"), None}, {950 * ms, goesOn, None},
		{1150 * ms, ends, None}, {1200 * ms, final(""), Generate}, {1249 * ms, elapsed, None}, {1250 * ms, elapsed, Commit}},
	"completeness reported later": {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1010 * ms, final("one ticket"), Generate},
		{1050 * ms, complete(""), None}, {1100 * ms, elapsed, Commit}},
	"a caller who pauses for longer is waited for": {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1100 * ms, final("one ticket"), Generate}, {1400 * ms, elapsed, Commit},
		{1410 * ms, taken("one ticket"), None}, {1560 * ms, starts, None}, {1700 * ms, interim("to Rome"), Interrupt}, {1900 * ms, ends, Generate}, {2000 * ms, final("to Rome"), None},
		{2549 * ms, elapsed, None}, {2550 * ms, elapsed, Commit}, {2560 * ms, taken("to Rome"), None}, {2570 * ms, agentSpeaks(false), None},
		{9000 * ms, starts, None}, {9500 * ms, ends, None}, {9600 * ms, final("by train"), Generate}, {10149 * ms, elapsed, None}, {10150 * ms, elapsed, Commit}},
	"a pause within a turn is waited for again": {{0, starts, None}, {1000 * ms, ends, None}, {1100 * ms, final("one ticket"), Generate}, {1390 * ms, starts, Discard}, {1600 * ms, interim("to Rome"), None},
		{1800 * ms, ends, Generate}, {1900 * ms, final("to Rome"), None}, {2279 * ms, elapsed, None}, {2280 * ms, elapsed, Commit}},
	"a pause without a word after it is none": {{0, starts, None}, {1000 * ms, ends, None}, {1100 * ms, final("one ticket"), Generate}, {1390 * ms, starts, Discard},
		{1800 * ms, ends, None}, {1900 * ms, final(""), Generate}, {2199 * ms, elapsed, None}, {2200 * ms, elapsed, Commit}},
	"a pause after a complete utterance is none": {{0, starts, None}, {1000 * ms, ends, None}, {1010 * ms, complete("one ticket"), Generate}, {1100 * ms, elapsed, Commit},
		{1110 * ms, taken("one ticket"), None}, {1560 * ms, starts, None}, {1700 * ms, interim("to Rome"), Interrupt}, {1900 * ms, ends, Generate}, {2000 * ms, final("to Rome"), None},
		{2299 * ms, elapsed, None}, {2300 * ms, elapsed, Commit}},
	"a pause that separates two turns is none": {{0, starts, None}, {1000 * ms, ends, None}, {1100 * ms, final("one ticket"), Generate}, {1400 * ms, elapsed, Commit},
		{1410 * ms, taken("one ticket"), None}, {2300 * ms, starts, None}, {2400 * ms, interim("to Rome"), Interrupt}, {2600 * ms, ends, Generate}, {2700 * ms, final("to Rome"), None},
		{2999 * ms, elapsed, None}, {3000 * ms, elapsed, Commit}},
	"unfinished endpoint": {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1100 * ms, final("one ticket and"), Generate},
		{1999 * ms, elapsed, None}, {2000 * ms, elapsed, Commit}},
	"a transcript after the endpoint commits at once": {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1900 * ms, final("yes"), Commit}},
	"noise is no turn":              {{0, starts, None}, {200 * ms, ends, None}, {300 * ms, final(""), None}, {5 * time.Second, elapsed, None}},
	"punctuation is no turn":        {{0, starts, None}, {200 * ms, ends, None}, {300 * ms, final("."), None}, {5 * time.Second, elapsed, None}},
	"no transcript comes":           {{0, starts, None}, {200 * ms, ends, None}, {2900 * ms, elapsed, None}, {3100 * ms, elapsed, None}},
	"only an interim one comes":     {{0, starts, None}, {100 * ms, interim("help me"), None}, {200 * ms, ends, None}, {250 * ms, elapsed, Generate}, {2999 * ms, elapsed, None}, {3000 * ms, elapsed, Commit}, {3000 * ms, taken("help me"), None}},
	"the recogniser breaks":         {{0, starts, None}, {100 * ms, interim("help me"), None}, {200 * ms, ends, None}, {220 * ms, lost, None}, {250 * ms, elapsed, Generate}, {3219 * ms, elapsed, None}, {3220 * ms, elapsed, Commit}, {3220 * ms, taken("help me"), None}},
	"another one hears it again":    {{0, starts, None}, {100 * ms, interim("help"), None}, {200 * ms, ends, None}, {220 * ms, lost, None}, {250 * ms, elapsed, Generate}, {3 * time.Second, back, None}, {3500 * ms, interim("help me"), None}, {3600 * ms, final("Help me."), Commit}, {3602 * ms, taken("Help me."), None}},
	"another one hears nothing":     {{0, starts, None}, {100 * ms, interim("help"), None}, {200 * ms, ends, None}, {220 * ms, lost, None}, {240 * ms, back, None}, {300 * ms, interim(""), Generate}, {400 * ms, final(""), None}, {600 * ms, elapsed, Commit}, {600 * ms, taken("help"), None}},
	"without one, silence is long":  {{0, starts, None}, {100 * ms, lost, None}, {200 * ms, ends, None}, {9 * time.Second, elapsed, None}, {10 * time.Second, back, None}, {11 * time.Second, final("help me"), Commit}, {11 * time.Second, taken("help me"), None}},
	"a stable interim is drafted":   {{0, starts, None}, {800 * ms, interim("Help"), None}, {800 * ms, goesOn, None}, {1000 * ms, ends, Generate}, {1100 * ms, final("help."), None}, {1400 * ms, elapsed, Commit}},
	"a fresh one is not yet":        {{0, starts, None}, {800 * ms, goesOn, None}, {990 * ms, interim("help"), None}, {1000 * ms, ends, None}, {1140 * ms, elapsed, Generate}},
	"another final makes a draft":   {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1100 * ms, final("help"), Generate}, {1200 * ms, final("me"), Generate}, {1400 * ms, elapsed, Commit}},
	"going on discards the draft":   {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1100 * ms, final("help"), Generate}, {1200 * ms, starts, Discard}, {1500 * ms, ends, None}, {1600 * ms, final("me"), Generate}, {1900 * ms, elapsed, Commit}, {1900 * ms, taken("help me"), None}},
	"a cough makes it again":        {{0, starts, None}, {800 * ms, goesOn, None}, {1000 * ms, ends, None}, {1100 * ms, final("help"), Generate}, {1200 * ms, starts, Discard}, {1500 * ms, ends, None}, {1600 * ms, final(""), Generate}, {1900 * ms, elapsed, Commit}},
	"soft speech is heard as text":  {{time.Minute, interim("hello"), None}, {time.Minute + 300*ms, final("hello"), Generate}, {time.Minute + 599*ms, elapsed, None}, {time.Minute + 600*ms, elapsed, Commit}},
	"pause, then speech interrupts": {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1080 * ms, goesOn, None}, {1100 * ms, goesOn, Pause}, {1120 * ms, goesOn, None}, {1439 * ms, goesOn, None}, {1440 * ms, goesOn, Interrupt}},
	"a word interrupts":             {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1050 * ms, interim("stop"), Interrupt}},
	"a cough resumes":               {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1320 * ms, final(""), None}, {1499 * ms, elapsed, None}, {1500 * ms, elapsed, Resume}, {9 * time.Second, elapsed, None}},
	"an mm-hm resumes":              {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1320 * ms, final("Mm-hm."), Resume}, {2600 * ms, agentSpeaks(false), None}, {9 * time.Second, elapsed, None}},
	"a late word after resuming":    {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1500 * ms, elapsed, Resume}, {1550 * ms, final("stop"), Interrupt}, {1551 * ms, elapsed, Generate}, {1700 * ms, elapsed, Commit}},
	"an old mm-hm means nothing":    {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1260 * ms, ends, None}, {1300 * ms, final("okay"), None}, {3000 * ms, agentSpeaks(false), None}, {9 * time.Second, elapsed, None}},
	"a fresh one answers":           {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1260 * ms, ends, None}, {1300 * ms, final("okay"), None}, {1400 * ms, agentSpeaks(false), None}, {1401 * ms, elapsed, Generate}, {1660 * ms, elapsed, Commit}},
	"an old mm-hm is no part of an interruption": {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1260 * ms, ends, None}, {1300 * ms, final("okay"), None},
		{4000 * ms, starts, None}, {4100 * ms, interim("stop"), Interrupt}, {4300 * ms, ends, Generate}, {4400 * ms, final("stop"), None}, {4700 * ms, elapsed, Commit}, {4700 * ms, taken("stop"), None}},
	"noise takes the floor and gives it back": {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1440 * ms, goesOn, Interrupt}, {1640 * ms, ends, None}, {1700 * ms, final(""), ResumeInterrupted}, {1701 * ms, elapsed, None}},
	"but not for ever": slices.Concat([]happening{{0, agentSpeaks(true), None}}, noise(1000*ms, ResumeInterrupted), noise(3000*ms, ResumeInterrupted), noise(5000*ms, ResumeInterrupted), []happening{
		{7000 * ms, starts, None}, {7440 * ms, goesOn, Duck}, {7600 * ms, goesOn, None}, {7640 * ms, interim("stop"), Interrupt}}),
	"a short sound lowers the answer": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, sounds, None}, {1080 * ms, soundsOn, None}, {1100 * ms, soundsOn, Duck}, {1320 * ms, soundsOn, None},
		{1390 * ms, ends, Resume}, {1400 * ms, final(""), None}, {9 * time.Second, elapsed, None}},
	"a short sound before the answer is audible": {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1300 * ms, ends, Resume}},
	"a sound as the answer ends":                 {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1200 * ms, agentSpeaks(false), None}, {1400 * ms, ends, None}},
	"a long sound before the answer is audible":  {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1400 * ms, soundsOn, Pause}, {2400 * ms, soundsOn, Resume}},
	"a word in a sound":                          {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1200 * ms, interim("stop"), Interrupt}},
	"a word in a sound that paused the answer":   {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1400 * ms, soundsOn, Pause}, {1500 * ms, interim("stop"), Interrupt}},
	"a word after the answer went on":            {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1400 * ms, soundsOn, Pause}, {2400 * ms, soundsOn, Resume}, {2500 * ms, interim("stop"), Interrupt}},
	"a sound that turns out to be speech":        {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1200 * ms, goesOn, Pause}, {1439 * ms, goesOn, None}, {1440 * ms, goesOn, Interrupt}},
	"noise that the recogniser takes for speech": {{0, agentSpeaks(true), None}, {1000 * ms, noisy, None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck},
		{1200 * ms, speechStarted, None}, {1300 * ms, soundsOn, None}, {1390 * ms, ends, Resume}},
	"noise that turns out to be speech, as the recogniser says": {{0, agentSpeaks(true), None}, {1000 * ms, noisy, None}, {1000 * ms, sounds, None},
		{1100 * ms, soundsOn, Duck}, {1120 * ms, speechStarted, None}, {1140 * ms, clean, None}, {1140 * ms, soundsOn, None}, {1340 * ms, soundsOn, Pause}, {1639 * ms, soundsOn, None}, {1640 * ms, soundsOn, Interrupt}},
	"speech that the recogniser reports before the detector": {{0, agentSpeaks(true), None}, {900 * ms, speechStarted, None}, {1000 * ms, sounds, None},
		{1100 * ms, soundsOn, Duck}, {1340 * ms, soundsOn, Pause}, {1500 * ms, soundsOn, Interrupt}},
	"a sound long after the recogniser's report":     {{0, agentSpeaks(true), None}, {900 * ms, speechStarted, None}, {2000 * ms, sounds, None}, {2100 * ms, soundsOn, Duck}},
	"a sound that the recogniser finds to be speech": {{0, agentSpeaks(true), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1200 * ms, speechStarted, None}, {1340 * ms, soundsOn, Pause}, {1699 * ms, soundsOn, None}, {1700 * ms, soundsOn, Interrupt}},
	"a report of speech within a long sound, and no word": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1340 * ms, soundsOn, Pause}, {2300 * ms, speechStarted, None}, {2799 * ms, soundsOn, None},
		{2800 * ms, soundsOn, Interrupt}, {3799 * ms, soundsOn, None}, {3800 * ms, dismissed, None}, {3900 * ms, final(""), ResumeInterrupted}},
	"\"okay\" in music that goes on": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1340 * ms, soundsOn, Pause}, {1500 * ms, interim("okay"), None},
		{1599 * ms, soundsOn, None}, {1600 * ms, soundsOn, Resume}, {5 * time.Second, soundsOn, None}},
	"speech after an \"okay\" for which the agent resumed": {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1320 * ms, final("okay"), Resume},
		{1640 * ms, starts, None}, {1760 * ms, goesOn, Pause}, {2079 * ms, goesOn, None}, {2080 * ms, goesOn, Interrupt}},
	"an \"okay\" at the end without its final": {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1320 * ms, interim("okay"), Resume}, {1900 * ms, agentSpeaks(false), None},
		{1901 * ms, elapsed, Generate}, {4100 * ms, elapsed, Commit}},
	"a second report of speech in a long sound": {{0, starts, None}, {100 * ms, speechStarted, None}, {1200 * ms, agentSpeaks(true), None}, {1300 * ms, soundsOn, Duck}, {2000 * ms, speechStarted, Pause}, {2499 * ms, soundsOn, None}, {2500 * ms, soundsOn, Interrupt}},
	"a sound pauses the answer once and briefly": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck}, {1339 * ms, soundsOn, None}, {1340 * ms, soundsOn, Pause},
		{2339 * ms, soundsOn, None}, {2340 * ms, soundsOn, Resume}, {2800 * ms, soundsOn, None}, {3000 * ms, ends, None}, {4000 * ms, sounds, None}, {6000 * ms, soundsOn, None}, {6500 * ms, ends, None},
		{32400 * ms, sounds, None}, {32500 * ms, soundsOn, Duck}, {32700 * ms, ends, Resume}},
	"a sound that is louder than the last lowers the answer again": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {990 * ms, level(-40), None}, {1000 * ms, sounds, None}, {1100 * ms, soundsOn, Duck},
		{1150 * ms, level(-36), None}, {1390 * ms, ends, Resume}, {3990 * ms, level(-31), None}, {4000 * ms, sounds, None}, {4200 * ms, soundsOn, None}, {4250 * ms, level(-30), None},
		{4300 * ms, soundsOn, Duck}, {4500 * ms, ends, Resume}, {7000 * ms, sounds, None}, {7200 * ms, soundsOn, None}},
	"an mm-hm of a sure caller is no interruption, however long": {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1400 * ms, interim("mm-hm"), None}, {1700 * ms, goesOn, None},
		{1900 * ms, ends, Resume}, {4000 * ms, agentSpeaks(false), None}, {9 * time.Second, elapsed, None}},
	"noise that does not end": {{0, sounds, None}, {1000 * ms, interim("one ticket"), None}, {2000 * ms, soundsOn, None}, {4000 * ms, dismissed, Generate}, {4100 * ms, final("one ticket"), Commit}},
	"words in noise that does not end": {{0, sounds, None}, {1000 * ms, interim("one"), None}, {4000 * ms, dismissed, Generate}, {4100 * ms, interim("one ticket"), None}, {4300 * ms, final("one ticket"), Generate},
		{4699 * ms, elapsed, None}, {4700 * ms, elapsed, Commit}},
	"noise without a word that does not end": {{0, sounds, None}, {4000 * ms, dismissed, None}, {4100 * ms, final(""), None}, {9000 * ms, interim("hello"), None}, {9400 * ms, final("hello"), Generate}, {9700 * ms, elapsed, Commit}},
	"a draft is taken back by a final":       {{0, starts, None}, {10 * ms, interim("uh"), None}, {200 * ms, ends, Generate}, {300 * ms, final(""), Discard}, {301 * ms, elapsed, None}, {9 * time.Second, elapsed, None}},
	"a draft is taken back by an interim":    {{time.Minute, interim("uh"), None}, {time.Minute + 150*ms, elapsed, Generate}, {time.Minute + 200*ms, interim(""), Discard}, {time.Minute + 9*time.Second, elapsed, None}},
	"noise that looked like a word":          {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1440 * ms, goesOn, Interrupt}, {1500 * ms, interim("uh"), None}, {1640 * ms, ends, None}, {1700 * ms, final(""), ResumeInterrupted}},
	"and was drafted":                        {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1440 * ms, goesOn, Interrupt}, {1500 * ms, interim("uh"), None}, {1650 * ms, ends, Generate}, {1700 * ms, final(""), Discard}, {1701 * ms, elapsed, ResumeInterrupted}},
	"a word that interrupts is taken back":   {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1050 * ms, interim("stop"), Interrupt}, {1260 * ms, ends, None}, {1300 * ms, final(""), ResumeInterrupted}},
	"speech that began before the floor":     {{0, starts, None}, {100 * ms, agentSpeaks(true), None}, {120 * ms, goesOn, Pause}},
	"typed text interrupts":                  {{0, agentSpeaks(true), None}, {1000 * ms, typed("stop"), Interrupt}, {1001 * ms, elapsed, Generate}, {1300 * ms, elapsed, Commit}},
	"typed while the caller speaks":          {{0, agentSpeaks(true), None}, {900 * ms, starts, None}, {950 * ms, typed("stop"), Interrupt}, {1200 * ms, ends, None}, {1250 * ms, final(""), Generate}},
	"a word interrupts the audible answer":   {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, starts, None}, {1050 * ms, interim("stop"), Interrupt}},
	"the audible answer is paused, and a word interrupts it": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause},
		{1120 * ms, interim("stop"), Interrupt}},
	"the audible answer is paused, and a late word interrupts it": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause},
		{1300 * ms, ends, None}, {1350 * ms, final("stop"), Interrupt}},
	"the audible answer is resumed": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None},
		{1320 * ms, final(""), None}, {1500 * ms, elapsed, Resume}, {1600 * ms, final("stop"), Interrupt}},
	"the audible answer ends":                      {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {900 * ms, agentSpeaks(false), None}},
	"the audible answer ends while a caller talks": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {900 * ms, starts, None}, {920 * ms, agentSpeaks(false), None}, {1200 * ms, ends, None}},
	"the audible answer ends after a fresh mm-hm": {{0, agentSpeaks(true), None}, {500 * ms, audible, None}, {1000 * ms, starts, None}, {1260 * ms, ends, None}, {1300 * ms, final("okay"), None},
		{1400 * ms, agentSpeaks(false), None}, {1660 * ms, elapsed, Commit}},
	"an answer is dropped before it is audible while the caller talks":    {{0, agentSpeaks(true), None}, {900 * ms, starts, None}, {920 * ms, agentSpeaks(false), None}, {1200 * ms, ends, None}},
	"a paused answer is dropped":                                          {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1320 * ms, final(""), None}, {1400 * ms, agentSpeaks(false), None}},
	"a paused answer is dropped while one talks":                          {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1120 * ms, agentSpeaks(false), None}, {1300 * ms, ends, None}},
	"a paused answer is dropped while a word is due":                      {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1310 * ms, agentSpeaks(false), None}, {1320 * ms, final("okay"), Generate}, {1900 * ms, elapsed, Commit}},
	"an mm-hm for which the agent resumes, and is at its end":             {{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}, {1320 * ms, final("okay"), Resume}, {1900 * ms, agentSpeaks(false), None}, {1901 * ms, elapsed, Commit}},
	"an apology while the caller talks":                                   {{0, starts, None}, {800 * ms, agentSpeaks(true), None}},
	"an apology before the transcript":                                    {{0, starts, None}, {800 * ms, ends, None}, {820 * ms, agentSpeaks(true), None}},
	"an apology in the place of a preemptive answer":                      {{0, starts, None}, {800 * ms, ends, None}, {820 * ms, final("help me"), Generate}, {840 * ms, agentSpeaks(true), None}},
	"a preemptive answer is dropped and made again":                       {{0, starts, None}, {800 * ms, ends, None}, {820 * ms, final("help me"), Generate}, {840 * ms, dropped, None}, {860 * ms, elapsed, Generate}},
	"a preemptive answer whose words are taken back while a final is due": {{0, starts, None}, {10 * ms, interim("uh"), None}, {200 * ms, ends, Generate}, {300 * ms, interim(""), Discard}, {400 * ms, final(""), None}},
	"an endpoint without a preemptive answer":                             {{0, starts, None}, {800 * ms, ends, None}, {2000 * ms, final("yes"), Commit}, {2001 * ms, taken("yes"), None}},
	"a turn that ends preemptively":                                       {{0, starts, None}, {800 * ms, ends, None}, {820 * ms, final("yes"), Generate}, {1200 * ms, elapsed, Commit}, {1201 * ms, taken("yes"), None}},
	"more speech after a final":                                           {{0, starts, None}, {200 * ms, ends, None}, {210 * ms, starts, None}},
	"an interim, then silence":                                            {{time.Minute, interim("uh"), None}, {time.Minute + 100*ms, interim(""), None}, {time.Minute + 9*time.Second, elapsed, None}},
}

func TestDetector(t *testing.T) {
	for name, happenings := range conversations {
		t.Run(name, func(t *testing.T) {
			turn := NewDetector(DefaultOptions)
			for i, h := range happenings {
				if got := h.what(turn, start.Add(h.at)); got != h.want {
					t.Fatalf("happening %d, at %v: action %v, want %v (text %q)", i, h.at, got, h.want, turn.Text())
				}
			}
		})
	}
}

// The deadline is when something comes due, and then something does: or the
// session's loop would spin or sleep too long.
func TestDeadline(t *testing.T) {
	for name, tc := range map[string]struct {
		before []happening
		want   time.Duration // after start; 0 for none
		action Action
	}{
		"nothing":            {nil, 0, None},
		"speaking":           {[]happening{{0, starts, None}}, 0, None},
		"endpoint":           {[]happening{{0, starts, None}, {200 * ms, ends, None}, {250 * ms, final("yes"), Generate}}, 600 * ms, Commit},
		"stable interim":     {[]happening{{0, starts, None}, {190 * ms, interim("yes"), None}, {200 * ms, ends, None}}, 340 * ms, Generate},
		"drafted interim":    {[]happening{{0, starts, None}, {10 * ms, interim("yes"), None}, {200 * ms, ends, Generate}}, 3000 * ms, Commit},
		"deaf":               {[]happening{{0, starts, None}, {200 * ms, ends, None}, {220 * ms, lost, None}}, 0, None},
		"deaf, with words":   {[]happening{{0, starts, None}, {10 * ms, interim("yes"), None}, {200 * ms, ends, Generate}, {220 * ms, lost, None}}, 3220 * ms, Commit},
		"transcript awaited": {[]happening{{0, starts, None}, {200 * ms, ends, None}}, 3000 * ms, None},
		"agent speaks":       {[]happening{{0, agentSpeaks(true), None}}, 0, None},
		"agent is paused":    {[]happening{{0, agentSpeaks(true), None}, {1000 * ms, starts, None}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, None}}, 1500 * ms, Resume},
	} {
		t.Run(name, func(t *testing.T) {
			turn := NewDetector(DefaultOptions)
			for _, h := range tc.before {
				if got := h.what(turn, start.Add(h.at)); got != h.want {
					t.Fatalf("at %v: action %v, want %v", h.at, got, h.want)
				}
			}
			got := turn.Deadline()
			if tc.want == 0 {
				if !got.IsZero() {
					t.Fatalf("deadline is %v after start, want none", got.Sub(start))
				}
				return
			}
			if got.Sub(start) != tc.want {
				t.Fatalf("deadline is %v after start, want %v", got.Sub(start), tc.want)
			}
			if action := turn.Elapsed(got); action != tc.action {
				t.Errorf("action at the deadline is %v, want %v", action, tc.action)
			}
			if next := turn.Deadline(); tc.action != Commit && !next.IsZero() && !next.After(got) {
				t.Errorf("the deadline stays at %v", next.Sub(start))
			}
		})
	}
}

func TestWording(t *testing.T) {
	for text, want := range map[string]struct{ unfinished, backchannel bool }{
		"":                           {false, true},
		"I would like to":            {true, false},
		"Well,":                      {true, false},
		"my number is five five":     {true, false},
		"it is 5 5 5":                {true, false},
		"it is 555.":                 {false, false},
		"That is all.":               {false, false},
		"Mm-hm.":                     {false, true},
		"uh-huh, right":              {false, true},
		"yeah okay but":              {true, false},
		"okay":                       {false, true},
		"yes":                        {false, false},
		"どうもありがとう":                   {false, false},
		"no, the other one, because": {true, false},
	} {
		if got := vocabularyOf("").looksUnfinished(text); got != want.unfinished {
			t.Errorf("%q looks unfinished: %v, want %v", text, got, want.unfinished)
		}
		if got := vocabularyOf("en-GB").isBackchannel(text); got != want.backchannel {
			t.Errorf("%q is a backchannel: %v, want %v", text, got, want.backchannel)
		}
	}
}

// Each language has its own listeners' words and unfinished endings; an unknown one has those of English.
func TestWordsByLanguage(t *testing.T) {
	for _, tc := range []struct {
		language, text          string
		unfinished, backchannel bool
	}{
		{"de-AT", "ja, genau", false, true}, {"de", "nein", false, false}, {"de", "ich hätte gern ein", true, false}, {"de", "null drei sieben", true, false},
		{"fr", "d'accord", false, true}, {"fr", "je voudrais un", true, false}, {"es-419", "claro, vale", false, true}, {"es", "para", true, false},
		{"it", "sì, certo", false, true}, {"pt-BR", "tá, aham", false, true}, {"nl", "ja ja", false, true}, {"pl", "aha", false, true}, {"pl", "no", false, false},
		{"en", "ja", false, false}, {"", "alright", false, true}, {"ja", "okay", false, true},
	} {
		v := vocabularyOf(tc.language)
		if got := v.looksUnfinished(tc.text); got != tc.unfinished {
			t.Errorf("%s: %q looks unfinished: %v, want %v", tc.language, tc.text, got, tc.unfinished)
		}
		if got := v.isBackchannel(tc.text); got != tc.backchannel {
			t.Errorf("%s: %q is a backchannel: %v, want %v", tc.language, tc.text, got, tc.backchannel)
		}
	}
}

// Words over the agent that had no effect are handed over once: of a listener, and of a cough.
func TestIgnoredWords(t *testing.T) {
	d := NewDetector(DefaultOptions)
	d.AgentStarted(start)
	d.AgentAudible(start)
	d.SpeechStarted(start.Add(1000*ms), start.Add(1060*ms), false)
	d.SpeechContinues(start.Add(1200*ms), false)
	d.SpeechEnded(start.Add(1200*ms), start.Add(1400*ms))
	d.TranscriptReceived(dialogue.Transcript{Text: "okay", Final: true}, start.Add(1450*ms))
	if words, _ := d.TakeIgnored(); words != "" {
		t.Errorf("words %q are handed over while they may answer", words)
	}
	d.SpeechStarted(start.Add(4000*ms), start.Add(4060*ms), false)
	if words, at := d.TakeIgnored(); words != "okay" || !at.Equal(start.Add(1200*ms)) {
		t.Errorf("ignored words %q of %v", words, at.Sub(start))
	}
	if words, _ := d.TakeIgnored(); words != "" {
		t.Errorf("words %q are handed over twice", words)
	}
}

// With duck_ms 0, sound that may be no speech pauses the agent at once.
func TestWithoutDucking(t *testing.T) {
	options := DefaultOptions
	options.DuckFor = 0
	turn := NewDetector(options)
	turn.AgentStarted(start)
	turn.AgentAudible(start)
	turn.SpeechStarted(start, start.Add(60*ms), false)
	turn.SpeechContinues(start.Add(160*ms), false)
	if action := turn.SpeechContinues(start.Add(180*ms), false); action != Pause {
		t.Errorf("action %v, want %v", action, Pause)
	}
}
