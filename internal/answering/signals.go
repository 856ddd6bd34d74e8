package answering

import (
	"math"
	"time"
)

// signals recognises tones of the telephone network and of mailboxes.
type signals struct {
	past     []tone    // the latest, oldest first
	ringing  time.Time // when a ring-back tone last sounded
	pending  tone      // that is a beep if it is quiet from now on
	since    time.Time // when it became quiet
	lastBeep time.Time // when the last beep ended
}

const (
	faxHertz, faxWidth = 2100, 50
	faxLength          = 800 * time.Millisecond

	beepLow, beepHigh = 400, 2200 // hertz
	beepShortest      = 120 * time.Millisecond
	beepLongest       = 3 * time.Second
	beepQuiet         = 300 * time.Millisecond
	beepDrop          = 15 // dB by which it is softer after a beep
	keptTones         = 8
)

// specialInformation are the frequencies of the three special information tones (ITU-T E.180), each in its range.
var specialInformation = [3][2]float64{{850, 1050}, {1300, 1500}, {1700, 1900}}

// pushTone handles a tone that is over. mayRing says that the line may be ringing: a tone at the pitch of one is no
// beep.
func (s *signals) pushTone(t tone, mayRing bool) (Evidence, bool) {
	s.past = append(s.past, t)
	if len(s.past) > keptTones {
		s.past = s.past[1:]
	}
	switch {
	case s.isSpecialInformation():
		return networkTone(SpecialInformation, 0.98, "three rising tones"), true
	case s.isBusy():
		return networkTone(BusyTone, 0.9, hertz(t.frequency)), true
	case mayRing && isRinging(t):
		s.ringing = t.end
	case mayBeBeep(t):
		s.pending, s.since = t, t.end
	}
	return Evidence{}, false
}

// networkTone returns the evidence of a tone that the network plays instead of a party.
func networkTone(cause Cause, confidence float64, detail string) Evidence {
	return Evidence{Layer: Tones, Class: Unknown, Cause: cause, Confidence: confidence, Detail: detail}
}

// mayBeBeep reports whether a tone is a beep if it is quiet after it.
func mayBeBeep(t tone) bool {
	inBand := t.frequency >= beepLow && t.frequency <= beepHigh
	return t.steady && inBand && t.duration() >= beepShortest && t.duration() <= beepLongest
}

// pushFrame handles a frame without a tone. It reports a beep when it has been quiet for long enough after it.
func (s *signals) pushFrame(level float64, at time.Time) (beep tone, ok bool) {
	if s.pending.end.IsZero() {
		return tone{}, false
	}
	if level > max(s.pending.level-beepDrop, quietBelow) && at.Sub(s.pending.end) > 2*frame {
		s.pending = tone{}
		return tone{}, false
	}
	return s.elapsed(at)
}

// elapsed reports a beep after which it is quiet.
func (s *signals) elapsed(now time.Time) (beep tone, ok bool) {
	if s.pending.end.IsZero() || now.Sub(s.since) < beepQuiet {
		return tone{}, false
	}
	beep, s.pending = s.pending, tone{}
	s.lastBeep = beep.end
	return beep, true
}

// dueAt returns when elapsed may report a beep; zero for never.
func (s *signals) dueAt() time.Time {
	if s.pending.end.IsZero() {
		return time.Time{}
	}
	return s.since.Add(beepQuiet)
}

func (s *signals) isSpecialInformation() bool {
	if len(s.past) < len(specialInformation) {
		return false
	}
	last := s.past[len(s.past)-len(specialInformation):]
	for i, limits := range specialInformation {
		t := last[i]
		if t.frequency < limits[0] || t.frequency > limits[1] || !lasts(t, 150, 600) {
			return false
		}
		if i > 0 && t.start.Sub(last[i-1].end) > 150*time.Millisecond {
			return false
		}
	}
	return true
}

// isBusy reports whether the last four tones are alike, with pauses of their length: the line is busy, or was given up.
func (s *signals) isBusy() bool {
	const count = 4
	if len(s.past) < count {
		return false
	}
	last := s.past[len(s.past)-count:]
	for i, t := range last {
		on := t.duration()
		if t.frequency < 340 || t.frequency > 680 || !lasts(t, 150, 600) {
			return false
		}
		if i == 0 {
			continue
		}
		off := t.start.Sub(last[i-1].end)
		alike := math.Abs(t.frequency-last[0].frequency) <= 40 && (on-last[0].duration()).Abs() <= 80*time.Millisecond
		if !alike || off < on/2 || off > 2*on {
			return false
		}
	}
	return true
}

// lasts reports whether a tone lasts from shortest to longest milliseconds.
func lasts(t tone, shortest, longest int64) bool {
	ms := t.duration().Milliseconds()
	return ms >= shortest && ms <= longest
}

// isRinging reports whether a tone is a ring-back tone, of any country: 350 to 500 Hz, and longer than a beep at that
// pitch.
func isRinging(t tone) bool {
	return t.frequency >= 340 && t.frequency <= 500 && t.duration() >= 350*time.Millisecond
}
