package trial

import (
	"fmt"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/hearing/corpus"
	"parley/internal/voice/turn"
)

// Word is a single word that a caller says.
type Word struct {
	Voice    string // as corpus.Speech takes it
	Language string
	Text     string
	Sound    corpus.Sound
}

// said are the words of a language: three that stop an agent, and two of a listener.
type said struct {
	stop, listen []string
}

var words = map[string]said{
	"en": {[]string{"stop", "no", "wait"}, []string{"okay", "mm-hm"}},
	"de": {[]string{"stopp", "nein", "warte"}, []string{"okay", "hm"}},
	"fr": {[]string{"stop", "non", "attendez"}, []string{"okay", "d'accord"}},
	"es": {[]string{"para", "no", "espera"}, []string{"vale", "ajá"}},
	"it": {[]string{"basta", "no", "aspetta"}, []string{"okay", "certo"}},
	"pt": {[]string{"pare", "não", "espera"}, []string{"okay", "certo"}},
	"nl": {[]string{"stop", "nee", "wacht"}, []string{"oké", "ja ja"}},
	"pl": {[]string{"stop", "nie", "czekaj"}, []string{"okej", "aha"}},
}

// wordLanguages are those of words, in the order of the tables.
var wordLanguages = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl"}

// variants of espeak-ng's voices in each language; every third is held back.
var variants = []string{"", "+f2", "+m5", "+m3", "+f4", "+f5"}

// wordVoices returns the voices of a set by language: 16 held back of 48, and two of flite.
func wordVoices(set corpus.Set, language string) (voices []string) {
	for i, v := range variants {
		if (i%3 == 2) == (set == corpus.Held) {
			voices = append(voices, language+v)
		}
	}
	if language == "en" && set == corpus.Held {
		voices = append(voices, "flite slt", "flite awb")
	} else if language == "en" {
		voices = append(voices, "flite rms", "flite kal16")
	}
	return voices
}

// Words returns words that stop an agent, or those of a listener, spoken by the voices of a set.
func Words(set corpus.Set, listener bool) (all []Word, err error) {
	for _, language := range wordLanguages {
		texts := words[language].stop
		if listener {
			texts = words[language].listen
		}
		for _, voice := range wordVoices(set, language) {
			for _, text := range texts {
				sound, err := corpus.Speech(text, voice)
				if err != nil {
					return nil, err
				}
				all = append(all, Word{voice, language, text, sound.At(-26)})
			}
		}
	}
	return all, nil
}

// Line is what a caller's line carries while they say nothing.
type Line struct {
	Name  string
	Room  float64 // the level of the room's noise, dBFS; 0: digital silence
	DTX   bool    // the client sends one packet every 400 ms in silence
	Phone bool    // through the telephone's band
	Sound func(seconds float64) (corpus.Sound, error)
}

// Lines are those of docs/turn-taking.md: what is silent, and what is not. The caller is 10 dB louder than a sound.
func Lines(set corpus.Set) []Line {
	s := sounds{set: set, seed: 700 + 50*uint64(set)}
	return []Line{
		{Name: "digital silence"},
		{Name: "room at -65 dBFS, DTX", Room: -65, DTX: true},
		{Name: "room at -65 dBFS", Room: -65},
		{Name: "room at -50 dBFS", Room: -50},
		{Name: "digital silence, telephone", Phone: true},
		{Name: "music", Room: -65, Sound: s.music(1, -36)},
		{Name: "traffic", Room: -65, Sound: s.at(corpus.Traffic, 1, -10)},
		{Name: "babble of 8", Room: -65, Sound: s.babble(-36)},
	}
}

// The agent speaks from the beginning; the caller has said nothing before the word. Seconds.
const (
	beforeWord = 3
	afterWord  = 3
)

// MakeScene returns the line's sound, long enough for a word of two seconds.
func (l Line) MakeScene() (around corpus.Sound, err error) {
	const seconds = beforeWord + 2 + afterWord
	around = make(corpus.Sound, seconds*corpus.Rate)
	if l.Room != 0 {
		around = corpus.Hiss(31, seconds).At(l.Room)
	}
	if l.Sound != nil {
		s, err := l.Sound(seconds)
		if err != nil {
			return nil, err
		}
		around = corpus.Mix(around, s)[:len(around)]
	}
	return around, nil
}

// mix returns a scene with a word in it.
func (l Line) mix(scene corpus.Sound, w Word) corpus.Sound {
	length := (beforeWord+afterWord)*corpus.Rate + len(w.Sound)
	said := w.Sound.Delay(beforeWord)
	around := scene[:length/frame*frame].Scale(1)
	if l.DTX { // a packet, three frames that the decoder fills in, and digital silence
		for i := range len(around) / frame {
			if at := i * frame; i%20 >= 4 && (at >= len(said) || loudness(said[at:min(at+frame, len(said))]) == 0) {
				clear(around[at : at+frame])
			}
		}
	}
	mixed := corpus.Mix(around, said)[:len(around)]
	if l.Phone {
		mixed = mixed.PhoneBand()
	}
	return mixed
}

// WordResult is what a word over the agent did.
type WordResult struct {
	Voiced   time.Duration // from its beginning to the first frame that counts as sound; 0 for never
	Started  time.Duration // the same until it counts as speech
	Stopped  time.Duration // the same until it interrupted the agent
	Silenced time.Duration // how long the agent was paused or interrupted, to the end at most
	Lost     bool          // it is in no transcript
}

// wordRun is a word that is said over the agent.
type wordRun struct {
	word       Word
	reports    bool // the recogniser reports the beginning of speech
	detector   *turn.Detector
	begin      time.Time // of the word over the agent
	result     WordResult
	recognized bool
}

// Say has a caller say a word over the agent, whose recogniser recognises it 200 ms after its end. Reports: it reports the
// beginning of speech 250 ms after it.
func (l Line) Say(scene corpus.Sound, w Word, reports bool, listener Listener) WordResult {
	r := &wordRun{word: w, reports: reports, detector: turn.NewDetector(turn.DefaultOptions)}
	r.detector.SetLanguage(w.Language)
	tracker := turn.NewSpeechTracker(r.detector)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	length := time.Duration(len(w.Sound)) * time.Second / corpus.Rate
	r.begin = start.Add(beforeWord * time.Second)
	r.detector.AgentStarted(start)
	r.detector.AgentAudible(start)
	for i, pcm := 0, l.mix(scene, w).PCM(); (i+1)*frame <= len(pcm); i++ {
		now := start.Add(time.Duration(i+1) * frameTime)
		_, e := listener.Push(pcm[i*frame:(i+1)*frame], now)
		a := tracker.PushFrame(e, now)
		if since := now.Sub(r.begin); since > 0 {
			r.observe(e, a, since)
		}
		r.execute(a.Action, now)
		r.recognize(length, now)
		if due := r.detector.Deadline(); !due.IsZero() && !due.After(now) {
			r.execute(r.detector.Elapsed(now), now)
		}
	}
	ignored, _ := r.detector.TakeIgnored()
	r.result.Lost = !r.recognized && len(turn.Words(ignored)) == 0 && r.detector.Text() == ""
	return r.result
}

func (r *wordRun) observe(e turn.Classification, a turn.Activity, since time.Duration) {
	if e.Voiced && r.result.Voiced == 0 {
		r.result.Voiced = since
	}
	if a.Change == audio.Started && r.result.Started == 0 {
		r.result.Started = since
	}
	if s := r.detector.State(); s == turn.Paused || s < turn.AgentThinking {
		r.result.Silenced += frameTime
	}
}

func (r *wordRun) execute(a turn.Action, now time.Time) {
	switch a {
	case turn.Commit:
		r.recognized = r.recognized || now.After(r.begin)
		r.detector.TurnCommitted(now)
		r.detector.AgentAudible(now)
	case turn.Interrupt:
		if r.result.Stopped == 0 {
			r.result.Stopped = now.Sub(r.begin)
		}
	}
}

// recognize sends what the recogniser has at a time of the word, which has a length.
func (r *wordRun) recognize(length time.Duration, now time.Time) {
	switch now.Sub(r.begin) {
	case 260 * time.Millisecond:
		if r.reports {
			r.execute(r.detector.TranscriptReceived(dialogue.Transcript{SpeechStarted: true}, now), now)
		}
	case (length + 200*time.Millisecond).Round(frameTime):
		r.execute(r.detector.TranscriptReceived(dialogue.Transcript{Text: r.word.Text}, now), now)
	case (length + 400*time.Millisecond).Round(frameTime):
		r.execute(r.detector.TranscriptReceived(dialogue.Transcript{Text: r.word.Text, Final: true}, now), now)
	}
}

// WordRates are the results of words over the agent.
type WordRates struct {
	Said     int
	Missed   int             // words that did not interrupt the agent
	Lost     int             // words that are in no transcript
	Voiced   []time.Duration // WordResult.Voiced of those with sound
	Started  []time.Duration
	Stopped  []time.Duration
	Silenced []time.Duration
}

// SayAll says words one after the other, each in a call of its own.
func (l Line) SayAll(scene corpus.Sound, words []Word, reports bool, listener func() Listener) (rates WordRates) {
	for _, w := range words {
		r := l.Say(scene, w, reports, listener())
		rates.Said++
		if r.Lost {
			rates.Lost++
		}
		if r.Voiced > 0 {
			rates.Voiced = append(rates.Voiced, r.Voiced)
		}
		if r.Started > 0 {
			rates.Started = append(rates.Started, r.Started)
		}
		if r.Stopped > 0 {
			rates.Stopped = append(rates.Stopped, r.Stopped)
		} else {
			rates.Missed++
		}
		rates.Silenced = append(rates.Silenced, r.Silenced)
	}
	return rates
}

// WordHeader is the head of the table whose rows WordRates prints.
const WordHeader = "| line | words | never voiced | voiced after, p50/p95 | speech after, p50/p95 | did not interrupt | interrupted after, p50/p95 | silent for, p50/p95 | in no transcript |\n" +
	"|---|---|---|---|---|---|---|---|---|"

// String returns the cells of a row.
func (r WordRates) String() string {
	return fmt.Sprintf("%d | %d | %s | %s | %d | %s | %s | %d", r.Said, r.Said-len(r.Voiced), quantiles(r.Voiced), quantiles(r.Started), r.Missed, quantiles(r.Stopped), quantiles(r.Silenced), r.Lost)
}
