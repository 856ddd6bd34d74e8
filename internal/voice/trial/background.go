package trial

import (
	"time"

	"parley/internal/dialogue"
	"parley/internal/hearing/corpus"
	"parley/internal/voice/turn"
)

// Background is what other people's voices did while the agent spoke.
type Background struct {
	Minutes       float64
	Interruptions int
	Silenced      time.Duration // the agent was paused or interrupted
}

// Overhear has a caller say a word, and the agent answer for so many seconds among voices at a level in dBFS. The
// recogniser reports the beginning of each of their sentences and transcribes every word of them.
func Overhear(set corpus.Set, level, seconds float64, listener Listener) (b Background, err error) {
	words, err := Words(set, false)
	if err != nil {
		return b, err
	}
	people, err := sounds{set: set, seed: 650 + 50*uint64(set)}.television(level)(seconds)
	if err != nil {
		return b, err
	}
	first := words[0].Sound
	const answers = 3 // seconds: by then the first word is answered
	pcm := corpus.Mix(corpus.Hiss(1, answers+seconds), first.Delay(1), people.Delay(answers)).PCM()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := &overhearing{detector: turn.NewDetector(turn.DefaultOptions)}
	tracker := turn.NewSpeechTracker(o.detector)
	firstEnd := start.Add(time.Second + time.Duration(len(first))*time.Second/corpus.Rate).Truncate(frameTime)
	for i := 0; (i+1)*frame <= len(pcm); i++ {
		now := start.Add(time.Duration(i+1) * frameTime)
		_, e := listener.Push(pcm[i*frame:(i+1)*frame], now)
		o.execute(tracker.PushFrame(e, now).Action, now)
		if now.Equal(firstEnd.Add(400 * time.Millisecond)) {
			o.receive(dialogue.Transcript{Text: words[0].Text, Final: true}, now)
		}
		if at := i*frame - answers*corpus.Rate; at >= 0 && at+frame <= len(people) {
			o.overhear(loudness(people[at:at+frame]) > 0.3*loudness(people), now)
		}
		if due := o.detector.Deadline(); !due.IsZero() && !due.After(now) {
			o.execute(o.detector.Elapsed(now), now)
		}
		if s := o.detector.State(); !o.answering.IsZero() && (s == turn.Paused || s < turn.AgentThinking) {
			o.result.Silenced += frameTime
		}
	}
	o.result.Minutes = seconds / 60
	return o.result, nil
}

type overhearing struct {
	detector  *turn.Detector
	answering time.Time     // since when the agent answers the first word
	voice     time.Duration // of the others' current sentence
	silence   time.Duration // since its last sound
	result    Background
}

func (o *overhearing) receive(t dialogue.Transcript, now time.Time) {
	o.execute(o.detector.TranscriptReceived(t, now), now)
}

func (o *overhearing) execute(a turn.Action, now time.Time) {
	switch a {
	case turn.Commit:
		o.answering = now
		o.detector.TurnCommitted(now)
		o.detector.AgentAudible(now)
	case turn.Interrupt:
		o.result.Interruptions++
	}
}

// overhear is a frame of the others' voices: the recogniser has a word for every 400 ms of them.
func (o *overhearing) overhear(sounds bool, now time.Time) {
	if !sounds {
		if o.silence += frameTime; o.silence == 300*time.Millisecond && o.voice > 0 {
			o.receive(dialogue.Transcript{Text: "and now the weather", Final: true}, now)
			o.voice = 0
		}
		return
	}
	o.silence = 0
	switch o.voice += frameTime; {
	case o.voice == 200*time.Millisecond:
		o.receive(dialogue.Transcript{SpeechStarted: true}, now)
	case o.voice%(400*time.Millisecond) == 0:
		o.receive(dialogue.Transcript{Text: "and now the weather"[:min(19, 4*int(o.voice/(400*time.Millisecond)))]}, now)
	}
}
