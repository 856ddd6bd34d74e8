package trial

import (
	"fmt"
	"slices"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/hearing/corpus"
	"parley/internal/voice/turn"
)

// Word is a single word that a caller says.
type Word struct {
	Voice string // as corpus.Speech takes it
	Text  string
	Sound corpus.Sound
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
				all = append(all, Word{voice, text, sound.At(-26)})
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
	Sound func(seconds float64) (corpus.Sound, error)
}

// Lines are those of docs/turn-taking.md.
var Lines = []Line{
	{Name: "digital silence"},
	{Name: "room at -65 dBFS, DTX", Room: -65, DTX: true},
	{Name: "room at -65 dBFS", Room: -65},
	{Name: "room at -50 dBFS", Room: -50},
}

// beforeWord is how long a line is silent before the word, and afterWord after it, seconds.
const beforeWord, afterWord = 3.0, 3.0

// mix returns the line's sound with a word in it.
func (l Line) mix(w Word) (corpus.Sound, error) {
	seconds := beforeWord + float64(len(w.Sound))/corpus.Rate + afterWord
	around := make(corpus.Sound, int(seconds*corpus.Rate)/frame*frame)
	if l.Room != 0 {
		around = corpus.Hiss(uint64(len(w.Sound)), seconds).At(l.Room)[:len(around)]
	}
	if l.Sound != nil {
		s, err := l.Sound(seconds)
		if err != nil {
			return nil, err
		}
		around = corpus.Mix(around, s)[:len(around)]
	}
	if l.DTX { // a packet, three frames that the decoder fills in, and digital silence
		first, last := int(beforeWord*50), int(beforeWord*50)+len(w.Sound)/frame
		for i := range len(around) / frame {
			if (i < first || i > last) && i%20 >= 4 {
				clear(around[i*frame : (i+1)*frame])
			}
		}
	}
	return corpus.Mix(around, w.Sound.Delay(beforeWord))[:len(around)], nil
}

// WordResult is what a word over the agent did.
type WordResult struct {
	Voiced      time.Duration // from its beginning to the first frame that counts as sound; 0 for never
	Started     time.Duration // the same until it counts as speech
	Stopped     time.Duration // the same until the agent was interrupted
	Silenced    time.Duration // how long the agent was paused or interrupted, to the end at most
	Duck, Pause bool
}

// Say has a caller say a word over the agent, whose recogniser recognises it.
func (l Line) Say(w Word, listener Listener) (r WordResult, err error) {
	mixed, err := l.mix(w)
	if err != nil {
		return r, err
	}
	d := turn.NewDetector(turn.DefaultOptions)
	tracker := turn.NewSpeechTracker(d)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.AgentStarted(start)
	d.AgentAudible(start)
	begin := start.Add(time.Duration(beforeWord * float64(time.Second)))
	end := begin.Add(time.Duration(len(w.Sound)) * time.Second / corpus.Rate)
	interimAt, finalAt := end.Add(200*time.Millisecond), end.Add(700*time.Millisecond)
	execute := func(a turn.Action, now time.Time) {
		switch a {
		case turn.Duck:
			r.Duck = true
		case turn.Pause:
			r.Pause = true
		case turn.Interrupt:
			if r.Stopped == 0 {
				r.Stopped = now.Sub(begin)
			}
		}
	}
	for i, pcm := 0, mixed.PCM(); (i+1)*frame <= len(pcm); i++ {
		now := start.Add(time.Duration(i+1) * frameTime)
		_, e := listener.Push(pcm[i*frame:(i+1)*frame], now)
		a := tracker.PushFrame(e, now)
		if now.After(begin) && e.Voiced && r.Voiced == 0 {
			r.Voiced = now.Sub(begin)
		}
		if a.Change == audio.Started && now.After(begin) && r.Started == 0 {
			r.Started = now.Sub(begin)
		}
		execute(a.Action, now)
		if a.Change == audio.Ended && now.After(begin) {
			finalAt = now.Add(100 * time.Millisecond)
		}
		if !interimAt.IsZero() && !now.Before(interimAt) {
			interimAt = time.Time{}
			execute(d.TranscriptReceived(dialogue.Transcript{Text: w.Text}, now), now)
		}
		if !finalAt.IsZero() && interimAt.IsZero() && !now.Before(finalAt) {
			finalAt = time.Time{}
			execute(d.TranscriptReceived(dialogue.Transcript{Text: w.Text, Final: true}, now), now)
		}
		if due := d.Deadline(); !due.IsZero() && !due.After(now) {
			execute(d.Elapsed(now), now)
		}
		if s := d.State(); s == turn.Paused || s < turn.AgentThinking {
			r.Silenced += frameTime
		}
	}
	return r, nil
}

// String returns the cells of a table.
func Summary(all []WordResult) string {
	var voiced, started, stopped, silenced []time.Duration
	for _, r := range all {
		if r.Voiced > 0 {
			voiced = append(voiced, r.Voiced)
		}
		if r.Started > 0 {
			started = append(started, r.Started)
		}
		if r.Stopped > 0 {
			stopped = append(stopped, r.Stopped)
		}
		silenced = append(silenced, r.Silenced)
	}
	n := len(all)
	slices.Sort(silenced)
	return fmt.Sprintf("never voiced %d, no speech %d, not stopped %d of %d; voiced %s, speech %s, stopped %s; silenced %s", n-len(voiced), n-len(started), n-len(stopped), n,
		quantiles(voiced), quantiles(started), quantiles(stopped), quantiles(silenced))
}
