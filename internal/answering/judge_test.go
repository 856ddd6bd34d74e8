package answering

import (
	"math"
	"strings"
	"testing"
	"time"

	"parley/internal/audio"
)

const ms = time.Millisecond

// line plays a call to a Judge in virtual time.
type line struct {
	*Judge
	now     time.Time
	decided time.Duration // from the answer to the verdict; 0 before
}

var began = time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)

func answered(change func(*Options)) *line {
	o := Options{Window: 6 * time.Second, NoSpeech: 5 * time.Second, OnTimeout: Human, Transcripts: true}
	if change != nil {
		change(&o)
	}
	return &line{Judge: NewJudge(o, began), now: began}
}

func alone(o *Options)               { o.Transcripts = false }
func withModel(o *Options)           { o.AsksModel = true }
func (l *line) since() time.Duration { return l.now.Sub(began) }

func (l *line) frames(pcm []int16, voiced func(int) bool) *line {
	const size = 320
	for n := 0; len(pcm) >= size; n, pcm = n+1, pcm[size:] {
		l.now = l.now.Add(frame)
		l.PushFrame(pcm[:size], voiced(n), false, l.now)
		l.note()
	}
	return l
}

func (l *line) note() {
	if l.decided == 0 && l.Verdict() != nil {
		l.decided = l.since()
	}
}

// speak is speech: harmonics that glide, with a gap every 240 ms.
func (l *line) speak(d time.Duration) *line { return l.voice(d, 3000) }

// murmur is a voice in the room, 29 dB softer than whoever speaks.
func (l *line) murmur(d time.Duration) *line { return l.voice(d, 100) }

func (l *line) voice(d time.Duration, amplitude float64) *line {
	pcm := make([]int16, int(d.Seconds()*16000))
	phase := 0.0
	for i := range pcm {
		at := float64(i) / 16000
		phase += 2 * math.Pi * (170 + 40*math.Sin(2*math.Pi*2*at)) / 16000
		v := 0.0
		for h := 1.0; h < 12; h++ {
			v += math.Sin(h*phase) / h
		}
		pcm[i] = int16(amplitude * v)
	}
	return l.frames(pcm, func(n int) bool { return n%13 < 10 })
}

func (l *line) quiet(d time.Duration) *line {
	return l.frames(make([]int16, int(d.Seconds()*16000)), func(int) bool { return false })
}

// tone is one line, or several. The voice activity detector takes it for speech.
func (l *line) tone(d time.Duration, frequencies ...float64) *line {
	pcm := make([]int16, int(d.Seconds()*16000))
	for _, f := range frequencies {
		for i, v := range audio.Tone(f, 16000, d) {
			if i < len(pcm) {
				pcm[i] += v / int16(len(frequencies))
			}
		}
	}
	return l.frames(pcm, func(int) bool { return true })
}

func (l *line) says(text string) *line  { l.Transcript(text, true, l.now); l.note(); return l }
func (l *line) hears(text string) *line { l.Transcript(text, false, l.now); l.note(); return l }

// repeat plays a cadence.
func (l *line) repeat(times int, play func()) *line {
	for range times {
		play()
	}
	return l
}

func TestClasses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		play  func() *line
		class Class
		cause Cause
		by    time.Duration // at the latest
	}{
		{"a person says hello", func() *line {
			return answered(nil).quiet(600 * ms).speak(500 * ms).quiet(250 * ms).says("Hello?").quiet(3 * time.Second)
		},
			Human, ShortGreeting, 600*ms + 500*ms + 720*ms},
		{"the words come late", func() *line {
			return answered(nil).quiet(600 * ms).speak(500 * ms).quiet(1100 * ms).says("Hello?").quiet(time.Second)
		},
			Human, ShortGreeting, 2200 * ms},
		{"the words never come", func() *line { return answered(nil).quiet(600 * ms).speak(500 * ms).quiet(3 * time.Second) },
			Human, ShortGreeting, 2620 * ms},
		{"without a recogniser", func() *line { return answered(alone).quiet(600 * ms).speak(500 * ms).quiet(2 * time.Second) },
			Human, ShortGreeting, 1820 * ms},
		{"a person says a sentence", func() *line {
			return answered(nil).quiet(600 * ms).speak(3400 * ms).quiet(250 * ms).says("Smith and Sons, Anna Miller, good morning to you").quiet(3 * time.Second)
		}, Human, Sentence, 5020 * ms},
		{"a receptionist", func() *line {
			return answered(nil).quiet(300 * ms).speak(3600 * ms).quiet(250 * ms).says("Smith and Sons, Anna speaking, how can I help you?").quiet(3 * time.Second)
		}, Human, Phrase, 4620 * ms},
		{"a phrase beats the clock", func() *line {
			return answered(nil).quiet(500 * ms).speak(2330 * ms).hears("Your call has been forwarded").quiet(528 * ms).speak(3 * time.Second)
		}, Voicemail, Phrase, 2860 * ms},
		{"an assistant of iOS", func() *line {
			return answered(nil).speak(2 * time.Second).hears("Hi, if you record your name and reason for calling").speak(2 * time.Second)
		}, Screening, Phrase, 2020 * ms},
		{"a screener is no mailbox", func() *line {
			return answered(nil).speak(2 * time.Second).hears("Hi, the person you are calling is using a screening service from Google").speak(2 * time.Second)
		}, Screening, Phrase, 2020 * ms},
		{"a full mailbox", func() *line {
			return answered(nil).speak(3 * time.Second).says("The mailbox is full and cannot accept any messages at this time")
		},
			MailboxFull, Phrase, 3020 * ms},
		{"a menu", func() *line {
			return answered(nil).speak(3 * time.Second).hears("Thank you for calling. For sales, press one")
		}, Menu, Phrase, 3020 * ms},
		{"accents and apostrophes", func() *line {
			return answered(nil).speak(2 * time.Second).hears("Je ne peux pas vous répondre, laissez un message après le bip sonore")
		},
			Voicemail, Phrase, 2020 * ms},
		{"a long greeting, sound alone", func() *line { return answered(alone).quiet(300 * ms).speak(5600 * ms).quiet(2 * time.Second) }, Human, WindowOver, 6020 * ms},
		{"a longer window", func() *line {
			return answered(func(o *Options) { alone(o); o.Window = 20 * time.Second }).quiet(300 * ms).speak(8 * time.Second).quiet(2 * time.Second)
		}, Voicemail, LongGreeting, 9020 * ms},
		{"a beep after a greeting", func() *line {
			return answered(alone).speak(3400*ms).quiet(300*ms).tone(400*ms, 1000).quiet(time.Second)
		},
			Voicemail, Beep, 4420 * ms},
		{"nobody", func() *line { return answered(nil).quiet(7 * time.Second) }, Silence, NoSpeech, 5020 * ms},
		{"a click is not speech", func() *line { return answered(nil).quiet(time.Second).speak(60 * ms).quiet(7 * time.Second) }, Silence, NoSpeech, 5020 * ms},
		{"special information tones", func() *line {
			return answered(nil).quiet(200*ms).tone(330*ms, 950).tone(330*ms, 1400).tone(330*ms, 1800).quiet(time.Second)
		}, Unknown, SpecialInformation, 1280 * ms},
		{"busy", func() *line {
			l := answered(nil)
			return l.repeat(6, func() { l.tone(480*ms, 425).quiet(480 * ms) })
		}, Unknown, BusyTone, 3900 * ms},
		{"busy, of two lines", func() *line {
			l := answered(nil)
			return l.repeat(6, func() { l.tone(500*ms, 480, 620).quiet(500 * ms) })
		}, Unknown, BusyTone, 4100 * ms},
		{"a fax", func() *line { return answered(nil).quiet(time.Second).tone(3*time.Second, 2100) }, Fax, FaxTone, 1900 * ms},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := tc.play()
			v := l.Verdict()
			if v == nil {
				t.Fatal("no verdict")
			}
			if v.Class != tc.class || v.Cause != tc.cause || l.decided > tc.by || v.After > l.decided {
				t.Errorf("%s by %s after %v (%+v), want %s by %s within %v", v.Class, v.Cause, l.decided, v.All, tc.class, tc.cause, tc.by)
			}
		})
	}
}

// Nothing is decided before the rules allow it.
func TestNothingIsDecidedEarly(t *testing.T) {
	for name, play := range map[string]func() *line{
		"640 ms after a short greeting": func() *line { return answered(nil).quiet(600 * ms).speak(500 * ms).says("Hello?").quiet(640 * ms) },
		"no transcript yet":             func() *line { return answered(nil).quiet(600 * ms).speak(500 * ms).quiet(1000 * ms) },
		"ringing after the answer": func() *line {
			l := answered(nil)
			return l.repeat(2, func() { l.tone(time.Second, 425).quiet(1800 * ms) })
		},
		"a beep without speech": func() *line { return answered(nil).quiet(time.Second).tone(200*ms, 1000).quiet(2 * time.Second) },
		"somebody speaks":       func() *line { return answered(alone).speak(5 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			if v := play().Verdict(); v != nil {
				t.Errorf("%s by %s after %v", v.Class, v.Cause, v.After)
			}
		})
	}
}

func TestRingBackTonesExtendTheWait(t *testing.T) {
	l := answered(func(o *Options) { o.Window = 20 * time.Second })
	l.repeat(3, func() { l.tone(time.Second, 425).quiet(3 * time.Second) })
	if v := l.Verdict(); v != nil {
		t.Fatalf("%s while the line rings", v.Class)
	}
	if l.speak(500 * ms).says("Hello?").quiet(time.Second); l.Verdict() == nil || l.Verdict().Class != Human {
		t.Errorf("%+v after the ringing, want a person", l.Verdict())
	}
}

// The language model is asked only where the layers disagree, and at most once.
func TestModelDecidesWhereLayersDisagree(t *testing.T) {
	for _, tc := range []struct {
		name, said string
		asked      bool
	}{
		{"two phrases", "You have reached Smith and Sons. Press one", true},
		{"one phrase", "You have reached Smith and Sons.", false},
		{"none in a short greeting", "Smith and Sons.", false},
	} {
		l := answered(withModel).speak(2 * time.Second).says(tc.said)
		text, due := l.ModelDue()
		if due != tc.asked || due && text != tc.said {
			t.Errorf("%s: the model is asked: %v %q", tc.name, due, text)
		}
		if _, again := l.ModelDue(); again {
			t.Errorf("%s: the model is asked twice", tc.name)
		}
		if !due {
			continue
		}
		if v := l.Verdict(); v != nil {
			t.Errorf("%s: %s before the model has answered", tc.name, v.Class)
		}
		if l.ModelAnswered(Voicemail, l.now); l.Verdict() == nil || l.Verdict().Class != Voicemail || l.Verdict().Layer != Model {
			t.Errorf("%s: %+v after the model", tc.name, l.Verdict())
		}
	}
	long := answered(withModel).speak(5200 * ms).says("We sell wood and we sell it to everybody in town and around it")
	if _, due := long.ModelDue(); !due {
		t.Error("long speech without a phrase: the model is not asked")
	}
	if long.ModelAnswered(Unknown, long.now); long.Verdict() != nil {
		t.Errorf("%+v: the model did not know", long.Verdict())
	}
	if long.quiet(2 * time.Second); long.Verdict() == nil || long.Verdict().Class != Human {
		t.Errorf("%+v: the other layers decide", long.Verdict())
	}
}

// The model answers too late: the strongest phrase counts when the window is over.
func TestModelIsLate(t *testing.T) {
	l := answered(withModel).speak(2 * time.Second).says("You have reached Smith and Sons. Press one")
	l.ModelDue()
	l.speak(4100 * ms)
	if v := l.Verdict(); v == nil || v.Class != Menu {
		t.Errorf("%+v at the end of the window, want the menu's phrase", v)
	}
}

func TestJudgedAgain(t *testing.T) {
	screened := func() *line {
		l := answered(nil).speak(2 * time.Second).hears("record your name and reason for calling")
		l.Continue(l.now)
		l.quiet(3 * time.Second)
		l.ExpectPerson(l.now) // the agent has told who is calling
		return l
	}
	mailbox := func() *line {
		l := answered(nil).speak(2 * time.Second).hears("You have reached Anna, please leave a message after the tone")
		l.Continue(l.now)
		return l
	}
	for _, tc := range []struct {
		name string
		play func() *line
		want Class // "": no other verdict
	}{
		{"please stay on the line is not a person", func() *line {
			return screened().speak(1500 * ms).says("Thanks, please stay on the line").quiet(5 * time.Second)
		}, ""},
		{"the person takes the call", func() *line {
			return screened().speak(1500 * ms).says("Thanks, please stay on the line").quiet(5 * time.Second).speak(600 * ms).says("Hello?").quiet(time.Second)
		}, Human},
		{"ringing meanwhile", func() *line {
			return screened().tone(time.Second, 425).quiet(4*time.Second).tone(time.Second, 425).quiet(time.Second)
		}, ""},
		{"a mailbox after the screener", func() *line {
			return screened().speak(3 * time.Second).says("Anna is not available, leave a message after the tone")
		}, Voicemail},
		{"the mailbox speaks on", func() *line {
			return mailbox().speak(2 * time.Second).says("I will be back on Monday").quiet(900 * ms).speak(500 * ms).says("Bye bye").quiet(2 * time.Second)
		}, ""},
		{"the mailbox is full", func() *line { return mailbox().quiet(time.Second).speak(2 * time.Second).says("The mailbox is full") }, MailboxFull},
		{"a person after the beep", func() *line {
			l := mailbox().quiet(time.Second)
			l.ExpectPerson(l.now)
			return l.quiet(2 * time.Second).speak(600 * ms).says("Hello? I am here").quiet(time.Second)
		}, Human},
		{"a mailbox after the beep", func() *line {
			l := mailbox().quiet(time.Second)
			l.ExpectPerson(l.now)
			return l.quiet(2 * time.Second).speak(1600 * ms).says("To re-record your message, press one").quiet(2 * time.Second)
		}, ""},
		{"a person says what mailboxes say", func() *line {
			l := answered(nil).speak(500 * ms).says("Hello?").quiet(time.Second)
			l.Continue(l.now)
			return l.quiet(2 * time.Second).speak(3 * time.Second).says("He is not available. Please hold, or leave your number").quiet(time.Second)
		}, ""},
		{"a person asks at once who calls", func() *line {
			l := answered(nil).speak(500 * ms).says("Hello?").quiet(time.Second)
			l.Continue(l.now)
			return l.quiet(300 * ms).speak(2 * time.Second).says("May I ask who is calling, please?").quiet(time.Second)
		}, ""},
		{"a mailbox that begins like a person goes on at once", func() *line {
			l := answered(nil).speak(500 * ms).says("Hello?").quiet(time.Second)
			l.Continue(l.now)
			return l.quiet(300 * ms).speak(3 * time.Second).says("I am not available. Leave your number").quiet(time.Second)
		}, Voicemail},
		{"a mailbox that speaks when the window ends", func() *line {
			l := answered(nil).speak(6200 * ms)
			l.Continue(l.now)
			return l.speak(time.Second).says("We are not at home. Please leave a message").quiet(time.Second)
		}, Voicemail},
		{"a mailbox that begins like a person", func() *line {
			l := answered(nil).speak(500 * ms).says("Hello?").quiet(time.Second)
			l.Continue(l.now)
			return l.speak(3 * time.Second).says("Leave me a message after the beep").quiet(time.Second)
		}, Voicemail},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, v := Class(""), tc.play().Verdict()
			if v != nil {
				got = v.Class
			}
			if got != tc.want {
				t.Errorf("judged again as %q, want %q", got, tc.want)
			}
		})
	}
}

func TestOwnPhrases(t *testing.T) {
	own := []OwnPhrases{{Language: "sv", Class: Voicemail, Phrases: []string{"lämna * meddelande", "tal~ in"}}}
	for _, said := range []string{"Lamna ditt eget meddelande", "Tala in nu"} {
		l := answered(func(o *Options) { o.Phrases = own }).speak(time.Second).says(said)
		if v := l.Verdict(); v == nil || v.Class != Voicemail || !strings.HasPrefix(v.Detail, "sv: ") {
			t.Errorf("%s: %+v", said, v)
		}
	}
}

// Every phrase of the files is found in itself, by its own class or a stronger one.
func TestEveryPhraseIsFound(t *testing.T) {
	for _, p := range readPhrases() {
		said := normalized(strings.NewReplacer("~", "", "*", "").Replace(p.text))
		found := false
		for _, q := range builtIn.occurring(said) {
			found = found || q.text == p.text && q.class == p.class
		}
		if !found {
			t.Errorf("%s: %q (%s) does not occur in itself", p.language, p.text, p.class)
		}
	}
}

func TestBeeps(t *testing.T) {
	greeting := func() *line { return answered(alone).speak(3 * time.Second).quiet(400 * ms) }
	for _, tc := range []struct {
		name string
		play func() *line
		want bool
	}{
		{"1,000 Hz", func() *line { return greeting().tone(300*ms, 1000).quiet(time.Second) }, true},
		{"the shortest", func() *line { return greeting().tone(140*ms, 1400).quiet(time.Second) }, true},
		{"the lowest", func() *line { return greeting().tone(500*ms, 420).quiet(time.Second) }, true},
		{"the highest", func() *line { return greeting().tone(500*ms, 2150).quiet(time.Second) }, true},
		{"two lines", func() *line { return greeting().tone(500*ms, 770, 1336).quiet(time.Second) }, true},
		{"too short", func() *line { return greeting().tone(60*ms, 1000).quiet(time.Second) }, false},
		{"too high", func() *line { return greeting().tone(300*ms, 2600).quiet(time.Second) }, false},
		{"within music", func() *line {
			l := greeting()
			return l.repeat(4, func() { l.tone(200*ms, 523).tone(200*ms, 659).tone(200*ms, 784, 523) })
		}, false},
		{"speech goes on", func() *line { return greeting().tone(200*ms, 1000).speak(2 * time.Second) }, false},
		{"none", func() *line { return greeting().quiet(2 * time.Second) }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := !tc.play().BeepEnded().IsZero(); got != tc.want {
				t.Errorf("beep: %v, want %v", got, tc.want)
			}
		})
	}
	t.Run("of several, the last", func(t *testing.T) {
		l := greeting()
		l.repeat(3, func() { l.tone(150*ms, 1000).quiet(120 * ms) }).quiet(time.Second)
		if ended := l.BeepEnded().Sub(began); ended < 4*time.Second {
			t.Errorf("the beep ended %v after the answer, before the last of them", ended)
		}
	})
}

// It is not quiet while a tone sounds of which a frame is missing.
func TestQuietAfterTones(t *testing.T) {
	l := answered(nil).tone(time.Second, 2100).quiet(frame)
	if got := l.Quiet(l.now); got != frame {
		t.Errorf("in the tone it is quiet for %v, want %v", got, frame)
	}
	l.tone(time.Second, 2100).quiet(700 * ms)
	if got := l.Quiet(l.now); got < 680*ms || got > 720*ms {
		t.Errorf("after the tone it is quiet for %v, want 700ms", got)
	}
}

// It is not quiet while frames are late; a line that sends none for a second is.
func TestLateFramesAreNotQuiet(t *testing.T) {
	l := answered(nil).speak(time.Second)
	for after, want := range map[time.Duration]time.Duration{900 * ms: 0, 1200 * ms: 1200 * ms} {
		if got := l.Quiet(l.now.Add(after)); got < want || got > want+frame {
			t.Errorf("%v after the last frame it is quiet for %v, want %v", after, got, want)
		}
	}
	l.now = l.now.Add(900 * ms)
	if got := l.quiet(100 * ms).Quiet(l.now); got < 100*ms || got > 100*ms+frame {
		t.Errorf("after the late frames it is quiet for %v, want 100ms", got)
	}
}

// The rising tones of a network are none after which a message is left.
func TestSpecialInformationIsNoBeep(t *testing.T) {
	l := answered(nil).tone(330*ms, 950).tone(330*ms, 1400).tone(330*ms, 1800).quiet(time.Second)
	if v := l.Verdict(); v == nil || v.Class != Unknown || l.Beeped() {
		t.Errorf("verdict %+v, beeped %v", v, l.Beeped())
	}
}

// Elapsed at DueAt alone, without frames, leads to the same verdicts: a line may send nothing while it is silent.
func TestDueAt(t *testing.T) {
	l := answered(nil).quiet(600 * ms).speak(500 * ms).says("Hello?")
	for l.Verdict() == nil {
		due := l.DueAt()
		if due.IsZero() {
			t.Fatal("never due")
		}
		l.Elapsed(due)
	}
	if v := l.Verdict(); v.Class != Human || v.After > 1850*ms {
		t.Errorf("%s after %v", v.Class, v.After)
	}
}

// BenchmarkJudge measures a second of speech with three transcripts: its time is the share of a core that a call takes.
func BenchmarkJudge(b *testing.B) {
	l := answered(func(o *Options) { o.Window = time.Hour })
	l.speak(time.Second)
	var frames [50][320]int16
	for n := range frames {
		for i := range frames[n] {
			frames[n][i] = int16(6000 * math.Sin(2*math.Pi*(170+float64(n))*float64(n*320+i)/16000))
		}
	}
	for b.Loop() {
		for n := range frames {
			l.now = l.now.Add(frame)
			l.PushFrame(frames[n][:], true, false, l.now)
			if n%16 == 0 {
				l.Transcript("we sell wood to everybody in town and around it, and to the people of the next town", false, l.now)
			}
		}
	}
}

// Soft voices in the room, or a television, before and after somebody speaks, neither delay the verdict nor make the greeting longer.
func TestPersonBesideOtherVoices(t *testing.T) {
	l := answered(nil)
	l.murmur(time.Second).speak(600 * time.Millisecond).says("Hello?")
	spoke := l.now
	l.murmur(900 * time.Millisecond)
	v := l.Verdict()
	if v == nil || v.Class != Human || v.Cause != ShortGreeting {
		t.Fatalf("verdict %+v", v)
	}
	if took := v.Spoke; took > 600*time.Millisecond+greetingPause+100*time.Millisecond || l.now.Sub(spoke) < greetingPause {
		t.Errorf("decided %v after they began to speak", took)
	}
}

// A loud crackle when the phone is taken up does not make a soft person inaudible.
func TestSoftPersonAfterACrackle(t *testing.T) {
	l := answered(nil)
	l.voice(60*time.Millisecond, 10_000).quiet(400*time.Millisecond).voice(600*time.Millisecond, 150).says("Hello?").quiet(time.Second)
	if v := l.Verdict(); v == nil || v.Class != Human || v.Cause != ShortGreeting {
		t.Errorf("verdict %+v", v)
	}
}
