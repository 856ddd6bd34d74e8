package voice

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"parley/internal/answering"
	"parley/internal/dialogue"
	"parley/internal/workflow"
)

// vowel is the nth frame of voiced sound. Like speech it has gaps, or the
// voice activity detector would classify it as a hum.
func vowel(n int) []int16 {
	pcm := make([]int16, dialogue.ListenRate/50)
	loudness := 8000.0
	if n%13 >= 10 {
		loudness = 20
	}
	for i := range pcm {
		pcm[i] = int16(loudness * math.Sin(2*math.Pi*200*float64(n*len(pcm)+i)/dialogue.ListenRate))
	}
	return pcm
}

// room is a frame of a quiet room's hiss.
var room = func() []int16 {
	pcm := make([]int16, dialogue.ListenRate/50)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range pcm {
		pcm[i] = int16(random.IntN(21) - 10)
	}
	return pcm
}()

// fakeLine is a caller on a line: it sends a frame every 20 ms, and records what the
// agent plays.
type fakeLine struct {
	frames chan []int16

	mu     sync.Mutex
	until  time.Time // the caller speaks
	spoken int       // frames of it
	muted  bool      // no frames at all
	sound  []int16   // that is sent first
	played []playedFrame
	states []State

	captions []Caption
	typed    chan string
	signals  chan Signal
}

type playedFrame struct {
	at    time.Time
	value int16 // of its first sample
}

func (l *fakeLine) Frames() <-chan []int16 { return l.frames }

func (l *fakeLine) Play(pcm []int16) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.played = append(l.played, playedFrame{time.Now(), pcm[0]})
	return nil
}

func (l *fakeLine) SetState(s State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states = append(l.states, s)
}

func (l *fakeLine) Caption(c Caption) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.captions = append(l.captions, c)
}

func (l *fakeLine) TextMessages() <-chan string { return l.typed }

func (l *fakeLine) Signals() <-chan Signal { return l.signals }

func (l *fakeLine) run(done <-chan struct{}) {
	tick := time.NewTicker(dialogue.FrameDuration)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-done:
			return
		}
		l.mu.Lock()
		frame, muted := room, l.muted
		if size := len(room); len(l.sound) >= size {
			frame, l.sound = l.sound[:size], l.sound[size:]
		} else if time.Now().Before(l.until) {
			frame = vowel(l.spoken)
			l.spoken++
		}
		l.mu.Unlock()
		if muted {
			continue
		}
		select {
		case l.frames <- frame:
		case <-done:
			return
		}
	}
}

func (l *fakeLine) heard() []playedFrame {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]playedFrame(nil), l.played...)
}

// fakeRecognizer returns transcripts of a script.
type fakeRecognizer struct {
	mu          sync.Mutex
	texts       []string // of the coming answers to Finalize; none is ""
	silent      bool     // Finalize is not answered
	endOfTurn   bool
	language    string // that it reports
	lag         time.Duration
	fail        int    // openings that fail
	err         error  // with which they do
	hang        bool   // they never return
	given       func() // called for each write of audio; may be nil
	opened      int
	asked       []dialogue.RecognizeOptions
	recognition *fakeRecognition
}

func (e *fakeRecognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opened++
	e.asked = append(e.asked, o)
	if e.fail > 0 {
		e.fail--
		if e.hang {
			e.mu.Unlock()
			<-ctx.Done()
			e.mu.Lock()
			return nil, ctx.Err()
		}
		return nil, cmp.Or(e.err, dialogue.NewError("recognizer refused"))
	}
	e.recognition = &fakeRecognition{recognizer: e, transcripts: make(chan dialogue.Transcript, 16)}
	return e.recognition, nil
}

// hear sends a transcript at once.
func (e *fakeRecognizer) hear(t dialogue.Transcript) {
	e.mu.Lock()
	r := e.recognition
	e.mu.Unlock()
	r.send(t)
}

func (e *fakeRecognizer) snap(err error) {
	e.mu.Lock()
	r := e.recognition
	e.mu.Unlock()
	r.end(err)
}

type fakeRecognition struct {
	recognizer  *fakeRecognizer
	transcripts chan dialogue.Transcript

	mu     sync.Mutex
	err    error
	closed bool
	heard  time.Duration // of the caller's voice
}

func (r *fakeRecognition) Transcripts() <-chan dialogue.Transcript { return r.transcripts }
func (r *fakeRecognition) Err() error                              { r.mu.Lock(); defer r.mu.Unlock(); return r.err }
func (r *fakeRecognition) Close() error                            { r.end(nil); return nil }

func (r *fakeRecognition) Write(pcm []int16) error {
	r.recognizer.mu.Lock()
	given := r.recognizer.given
	r.recognizer.mu.Unlock()
	if given != nil {
		given()
	}
	for _, sample := range pcm {
		if sample > 1000 || sample < -1000 {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.heard += dialogue.FrameDuration
			return nil
		}
	}
	return nil
}

// voice is how much of the caller's voice the newest recognition was given.
func (e *fakeRecognizer) voice() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.recognition.mu.Lock()
	defer e.recognition.mu.Unlock()
	return e.recognition.heard
}

func (r *fakeRecognition) Finalize() error {
	r.recognizer.mu.Lock()
	defer r.recognizer.mu.Unlock()
	if r.recognizer.silent {
		return nil
	}
	t := dialogue.Transcript{Final: true, Language: r.recognizer.language}
	if len(r.recognizer.texts) > 0 {
		t.Text, t.EndOfTurn = r.recognizer.texts[0], r.recognizer.endOfTurn
		r.recognizer.texts = r.recognizer.texts[1:]
	}
	time.AfterFunc(r.recognizer.lag, func() { r.send(t) })
	return nil
}

func (r *fakeRecognition) send(t dialogue.Transcript) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.transcripts <- t
	}
}

func (r *fakeRecognition) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed, r.err = true, err
		close(r.transcripts)
	}
}

// step is what a scripted model does next.
type step struct {
	after time.Duration
	text  string
	call  string
	args  string // of the call
	usage *dialogue.Usage
	err   error

	panics bool
}

// fakeModel answers prompts by a script.
type fakeModel struct {
	mu      sync.Mutex
	reply   func(p dialogue.Prompt) []step
	prompts []dialogue.Prompt
	cut     int // streams ended by their context
	check   error
	checks  int
}

func (b *fakeModel) Check(context.Context, string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checks++
	return b.check
}

func (b *fakeModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		b.mu.Lock()
		b.prompts = append(b.prompts, p)
		steps := b.reply(p)
		b.mu.Unlock()
		for i, s := range steps {
			select {
			case <-time.After(s.after):
			case <-ctx.Done():
				b.mu.Lock()
				b.cut++
				b.mu.Unlock()
				yield(dialogue.Delta{}, ctx.Err())
				return
			}
			if s.panics {
				panic("index out of range")
			}
			if s.err != nil {
				yield(dialogue.Delta{}, s.err)
				return
			}
			d := dialogue.Delta{Text: s.text, Usage: s.usage}
			if s.call != "" {
				d.ToolCalls = []dialogue.ToolCall{{ID: fmt.Sprintf("c%d_%d", len(p.Messages), i), Name: s.call, Arguments: []byte(s.args)}}
				if s.args == "" {
					d.ToolCalls[0].Arguments = nil
				}
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (b *fakeModel) asked() []dialogue.Prompt {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]dialogue.Prompt(nil), b.prompts...)
}

// wordLength is how long the fake voices speak a word.
const wordLength = 200 * time.Millisecond

// fakeSynthesizer speaks: every word takes wordLength and sounds as a constant that
// tells the voice and the number of the word.
type fakeSynthesizer struct {
	mu     sync.Mutex
	slow   time.Duration // to open the second voice and all after it
	delay  time.Duration // to the first audio of each text
	timed  bool          // gives word times
	fail   int           // utterances that fail at once
	shut   int           // openings that fail
	breaks int           // utterances that break, after
	after  int           // so many words
	err    error         // with which all of these do
	empty  int           // utterances without audio
	hangs  int           // utterances that never give audio
	stalls int           // utterances that give no more, after
	noisy  int           // utterances whose audio is data of another format
	refuse string        // the text that is refused, with err
	noise  bool          // its audio is data of another format
	opened []dialogue.VoiceOptions
	open   int // voices not closed
	said   []string
}

func (m *fakeSynthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	m.mu.Lock()
	if len(m.opened) > 0 && m.slow > 0 {
		m.mu.Unlock()
		select {
		case <-time.After(m.slow):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		m.mu.Lock()
	}
	defer m.mu.Unlock()
	m.opened = append(m.opened, o)
	if m.shut > 0 {
		m.shut--
		return nil, cmp.Or(m.err, dialogue.NewError("voice refused"))
	}
	m.open++
	return &fakeVoice{synthesizer: m}, nil
}

type fakeVoice struct {
	synthesizer *fakeSynthesizer
	once        sync.Once
}

func (v *fakeVoice) Close() error {
	v.once.Do(func() { v.synthesizer.mu.Lock(); v.synthesizer.open--; v.synthesizer.mu.Unlock() })
	return nil
}

func (v *fakeVoice) Speak(ctx context.Context) (dialogue.Utterance, error) {
	v.synthesizer.mu.Lock()
	defer v.synthesizer.mu.Unlock()
	if v.synthesizer.fail > 0 {
		v.synthesizer.fail--
		return nil, cmp.Or(v.synthesizer.err, dialogue.NewError("voice lost"))
	}
	u := &fakeUtterance{synthesizer: v.synthesizer, ctx: ctx, texts: make(chan string, 1024), audio: make(chan dialogue.Speech), left: -1}
	if v.synthesizer.breaks > 0 {
		v.synthesizer.breaks--
		u.left, u.broken = v.synthesizer.after, cmp.Or(v.synthesizer.err, dialogue.NewError("voice broke"))
	}
	if v.synthesizer.hangs > 0 {
		v.synthesizer.hangs--
		u.stalls, u.left = true, 0
	}
	if v.synthesizer.stalls > 0 {
		v.synthesizer.stalls--
		u.stalls, u.left = true, v.synthesizer.after
	}
	if v.synthesizer.noisy > 0 {
		v.synthesizer.noisy--
		u.noise = true
	}
	if v.synthesizer.empty > 0 {
		v.synthesizer.empty--
		u.left = 0
	}
	go u.run()
	return u, nil
}

type fakeUtterance struct {
	synthesizer *fakeSynthesizer
	ctx         context.Context
	texts       chan string
	audio       chan dialogue.Speech
	once        sync.Once
	word        int

	left   int  // words before it breaks; -1 for never
	stalls bool // instead of breaking
	noise  bool
	broken error // with which it does
}

func (u *fakeUtterance) Say(text string) error {
	u.synthesizer.mu.Lock()
	u.synthesizer.said = append(u.synthesizer.said, text)
	u.synthesizer.mu.Unlock()
	u.texts <- text
	return nil
}

func (u *fakeUtterance) End() error                    { u.once.Do(func() { close(u.texts) }); return nil }
func (u *fakeUtterance) Audio() <-chan dialogue.Speech { return u.audio }
func (u *fakeUtterance) Err() error                    { return cmp.Or(u.ctx.Err(), u.broken) }

func (u *fakeUtterance) run() {
	defer close(u.audio)
	for {
		select {
		case text, more := <-u.texts:
			if !more {
				u.broken = nil // it came to its end
				return
			}
			select {
			case <-time.After(u.synthesizer.delay):
			case <-u.ctx.Done():
				return
			}
			if u.synthesizer.refuse != "" && text == u.synthesizer.refuse {
				u.broken = u.synthesizer.err
				return
			}
			for _, s := range u.speech(text) {
				if u.left == 0 && u.stalls {
					<-u.ctx.Done()
				}
				if u.left == 0 {
					return
				}
				u.left--
				select {
				case u.audio <- s:
				case <-u.ctx.Done():
					return
				}
			}
		case <-u.ctx.Done():
			return
		}
	}
}

func (u *fakeUtterance) speech(text string) (pieces []dialogue.Speech) {
	for i, word := range strings.Fields(text) {
		s := dialogue.Speech{PCM: make([]int16, int(wordLength.Seconds()*dialogue.SpeakRate))}
		if i == 0 {
			s.Text = text
		}
		start := time.Duration(u.word) * wordLength
		u.word++
		for n := range s.PCM {
			s.PCM[n] = int16(u.word)
			if u.noise || u.synthesizer.noise {
				s.PCM[n] = int16(rand.Uint32())
			}
		}
		if u.synthesizer.timed {
			s.Words = []dialogue.Word{{Text: word, Start: start, End: start + wordLength}}
		}
		pieces = append(pieces, s)
	}
	return pieces
}

// fakeJournal keeps everything.
type fakeJournal struct {
	mu        sync.Mutex
	entries   []Entry
	lines     []string
	changes   []string
	turns     []Turn
	spent     map[string]dialogue.Usage // in no turn
	problems  []Problem
	overlaps  []string
	holds     []bool
	answers   []answering.Verdict
	controls  []string
	operators []bool
	transfers []Transfer
	languages []string
	decisions []workflow.Decision
	talk      dialogue.Talk
}

func (j *fakeJournal) EntryAdded(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
	line := string(e.Role) + ": " + e.Text
	if e.Tool != nil {
		line = strings.TrimSpace(e.Agent + " calls " + e.Tool.Name + " " + string(e.Phase))
	}
	j.lines = append(j.lines, line)
}

func (j *fakeJournal) AgentChanged(agent, previous string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.changes = append(j.changes, previous+" → "+agent)
}

func (j *fakeJournal) TurnAnswered(t Turn) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turns = append(j.turns, t)
}

func (j *fakeJournal) TokensUsed(agent string, u dialogue.Usage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.spent == nil {
		j.spent = map[string]dialogue.Usage{}
	}
	sum := j.spent[agent]
	j.spent[agent] = dialogue.Usage{InputTokens: sum.InputTokens + u.InputTokens, OutputTokens: sum.OutputTokens + u.OutputTokens}
}

func (j *fakeJournal) Overlapped(o Overlap) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.overlaps = append(j.overlaps, string(o.Outcome)+" "+string(o.Cause))
}

func (j *fakeJournal) Routed(d workflow.Decision) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.decisions = append(j.decisions, d)
}

func (j *fakeJournal) LanguageChanged(language, previous string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.languages = append(j.languages, previous+" → "+language)
}

func (j *fakeJournal) HoldChanged(held bool, _ time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.holds = append(j.holds, held)
}

func (j *fakeJournal) TransferChanged(t Transfer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.transfers = append(j.transfers, t)
}

func (j *fakeJournal) OperatorChanged(joined bool, _ time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.operators = append(j.operators, joined)
}

func (j *fakeJournal) ControlEnded(id, refusal string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.controls = append(j.controls, strings.TrimSpace(id+" "+refusal))
}

func (j *fakeJournal) TalkMeasured(t dialogue.Talk) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.talk = j.talk.Add(t)
}

func (j *fakeJournal) AnswerJudged(v answering.Verdict) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.answers = append(j.answers, v)
}

func (j *fakeJournal) Problem(p Problem) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.problems = append(j.problems, p)
}

// The fixed texts of agents without a language.
var (
	apology  = apologyText.defaults["en"]
	pardon   = pardonText.defaults["en"]
	declined = declinedText.defaults["en"]
	wait     = waitText.defaults["en"]
	longer   = waitLongerText.defaults["en"]
)
