// Package corpus makes the recordings that the detection of who answered is measured with: scripts in eight languages, spoken by
// espeak-ng and flite, prompts and music of Debian's Asterisk packages, and tones of the telephone network. The same recordings
// come out of the same programs.
package corpus

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"parley/internal/answering"
	"parley/internal/answering/trial"
	"parley/internal/audio"
	hearing "parley/internal/hearing/corpus"
)

// Rate is the rate of every recording, in hertz.
const Rate = hearing.Rate

//go:embed scripts/*.txt
var scripts embed.FS

// Languages are those of the scripts.
var Languages = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl"}

// speakers are the voices of a language: two that thresholds were chosen by, and one that was held back.
var speakers = map[string][3]string{
	"en": {"en-us", "en-gb+f2", "flite slt"}, "de": {"de", "de+f2", "de+m5"}, "fr": {"fr", "fr+f2", "fr+m5"}, "es": {"es", "es+f2", "es+m5"},
	"it": {"it", "it+f2", "it+m5"}, "pt": {"pt-br", "pt+f2", "pt+m5"}, "nl": {"nl", "nl+f2", "nl+m5"}, "pl": {"pl", "pl+f2", "pl+m5"},
}

// heldScript is the script of each section that was held back.
const heldScript = 2

// conditions are how many recordings are made of a script and a voice: those that were held back are a third of all.
var conditions = map[bool]int{false: 1, true: 2}

// readScripts returns the scripts of a language by section.
func readScripts(language string) (map[string][]string, error) {
	content, err := scripts.ReadFile("scripts/" + language + ".txt")
	if err != nil {
		return nil, err
	}
	sections := map[string][]string{}
	var section string
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			section = name
		} else if line != "" {
			sections[section] = append(sections[section], line)
		}
	}
	return sections, nil
}

var sectionClasses = []struct {
	section string
	class   answering.Class
}{
	{"human", answering.Human}, {"sentence", answering.Human}, {"voicemail", answering.Voicemail},
	{"mailbox_full", answering.MailboxFull}, {"screening", answering.Screening}, {"menu", answering.Menu},
}

// Spoken makes the spoken recordings of a language.
func Spoken(language string) (all []trial.Recording, err error) {
	sections, err := readScripts(language)
	if err != nil {
		return nil, err
	}
	for _, s := range sectionClasses {
		for n, script := range sections[s.section] {
			held := n == heldScript
			for v, voice := range speakers[language] {
				if (v == heldScript) != held {
					continue
				}
				for condition := range conditions[held] {
					seed := uint64(len(all)*7 + condition)
					name := fmt.Sprintf("%s-%s-%d-%s-%d", language, s.section, n, voice, condition)
					r := trial.Recording{Name: name, Language: language, Class: s.class, Held: held}
					if err := speak(&r, script, voice, seed); err != nil {
						return nil, err
					}
					all = append(all, r)
				}
			}
		}
	}
	return all, nil
}

// speak makes the recording of a script, with the beep that its seed chooses if it is a mailbox's.
func speak(r *trial.Recording, script, voice string, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 35))
	var sound hearing.Sound
	sound = append(sound, make(hearing.Sound, int((0.3+0.9*random.Float64())*Rate))...)
	for n, part := range strings.Split(script, "|") {
		if n > 0 {
			sound = append(sound, make(hearing.Sound, Rate*8/10)...)
		}
		said, err := hearing.Speech(strings.TrimSpace(part), voice)
		if err != nil {
			return err
		}
		r.Said = append(r.Said, trial.Segment{Text: strings.TrimSpace(part), Start: at(len(sound)), End: at(len(sound) + len(said))})
		sound = append(sound, said...)
	}
	if r.Class == answering.Voicemail {
		sound = append(sound, beeps(seed)...)
		r.MessageFrom = at(len(sound))
	}
	sound = append(sound, make(hearing.Sound, 5*Rate)...)
	return finish(r, sound, seed)
}

func at(samples int) time.Duration { return time.Duration(samples) * time.Second / Rate }

// beeps are the end of a mailbox's greeting: one beep, three, a soft low one after a pause, or none.
func beeps(seed uint64) (sound hearing.Sound) {
	tone := func(frequency float64, d time.Duration) {
		for _, v := range audio.Tone(frequency, Rate, d) {
			sound = append(sound, float64(v)/2)
		}
	}
	quiet := func(seconds float64) { sound = append(sound, make(hearing.Sound, int(seconds*Rate))...) }
	switch seed % 4 {
	case 0:
		quiet(0.5)
		tone(1000, 400*time.Millisecond)
	case 1:
		quiet(0.7)
		for range 3 {
			tone(1400, 160*time.Millisecond)
			quiet(0.14)
		}
	case 2:
		quiet(1.2)
		tone(440, 700*time.Millisecond)
	}
	return sound
}

// finish adds the noise and the codec that the seed chooses.
func finish(r *trial.Recording, sound hearing.Sound, seed uint64) error {
	seconds := float64(len(sound)) / Rate
	switch seed % 5 {
	case 1:
		sound = hearing.Mix(sound, hearing.Hiss(seed, seconds).At(-50))
	case 2:
		sound = hearing.Mix(sound, hearing.Traffic(seed, seconds).At(-48))
	case 3:
		babble, err := hearing.Babble(hearing.Held, seed, seconds, 4)
		if err != nil {
			return err
		}
		sound = hearing.Mix(sound, babble.At(-52))
	}
	var err error
	r.Codec = []string{"PCMU", "G722", "opus"}[seed%3]
	r.PCM, err = codecs[r.Codec](sound[:len(sound)/320*320].PCM())
	return err
}
