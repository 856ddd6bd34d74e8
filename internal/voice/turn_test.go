package voice

import (
	"slices"
	"testing"
	"time"
)

// dawn is when the tables' time begins.
var dawn = time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)

// happening is one call of the turn-taker, at a time after dawn, and the move
// it must answer with.
type happening struct {
	at   time.Duration
	what func(t *TurnTaker, now time.Time) Move
	want Move
}

func starts(t *TurnTaker, now time.Time) Move  { return t.SpeechStarted(now.Add(-60*ms), now) }
func goesOn(t *TurnTaker, now time.Time) Move  { return t.SpeechGoesOn(now) }
func ends(t *TurnTaker, now time.Time) Move    { return t.SpeechEnded(now.Add(-200*ms), now) }
func elapsed(t *TurnTaker, now time.Time) Move { return t.Elapsed(now) }
func lost(t *TurnTaker, now time.Time) Move    { t.RecognitionLost(now); return t.Elapsed(now) }
func back(t *TurnTaker, now time.Time) Move    { t.RecognitionBack(now); return t.Elapsed(now) }

func final(text string) func(*TurnTaker, time.Time) Move {
	return func(t *TurnTaker, now time.Time) Move { return t.Heard(text, true, false, now) }
}

func complete(text string) func(*TurnTaker, time.Time) Move {
	return func(t *TurnTaker, now time.Time) Move { return t.Heard(text, true, true, now) }
}

func interim(text string) func(*TurnTaker, time.Time) Move {
	return func(t *TurnTaker, now time.Time) Move { return t.Heard(text, false, false, now) }
}

func floorTo(agent bool) func(*TurnTaker, time.Time) Move {
	return func(t *TurnTaker, now time.Time) Move { t.AgentHasFloor(agent, now); return Wait }
}

func taken(want string) func(*TurnTaker, time.Time) Move {
	return func(t *TurnTaker, now time.Time) Move {
		if got := t.Taken(); got != want {
			return Move(-1)
		}
		return Wait
	}
}

// noise takes the floor without a word, and gives it back or does not.
func noise(at time.Duration, last Move) []happening {
	return []happening{{at, starts, Wait}, {at + 440*ms, goesOn, Interrupt}, {at + 640*ms, ends, Wait}, {at + 700*ms, final(""), last}, {at + 800*ms, floorTo(true), Wait}}
}

// givenUp takes a turn whose final transcript does not come.
func givenUp() []happening {
	return []happening{{0, starts, Wait}, {800 * ms, interim("one ticket to"), Wait}, {1000 * ms, ends, Draft}, {3800 * ms, elapsed, Commit}, {3810 * ms, taken("one ticket to"), Wait}}
}

func TestTurnTaker(t *testing.T) {
	for name, happenings := range map[string][]happening{
		"nothing": {{0, elapsed, Wait}, {time.Hour, elapsed, Wait}},
		"a final after it was given up": append(givenUp(), happening{3820 * ms, floorTo(true), Wait}, happening{4500 * ms, final("One ticket."), Wait},
			happening{4600 * ms, taken(""), Wait}),
		"an interim after its final was given up": append(givenUp(), happening{3820 * ms, floorTo(true), Wait}, happening{4500 * ms, interim("one ticket"), Wait}),
		"more after a final was given up": append(givenUp(), happening{3820 * ms, floorTo(true), Wait}, happening{4500 * ms, final("one ticket two Rome"), Interrupt},
			happening{4510 * ms, taken("rome"), Wait}),
		"something else after a final was given up": append(givenUp(), happening{3820 * ms, floorTo(true), Wait}, happening{4500 * ms, final("hello"), Interrupt}),
		"the same said again after it was given up": append(givenUp(), happening{3820 * ms, floorTo(true), Wait}, happening{4500 * ms, starts, Wait},
			happening{4600 * ms, final("one ticket to"), Interrupt}),
		"default endpoint": {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1100 * ms, final("one ticket"), Draft},
			{1399 * ms, elapsed, Wait}, {1400 * ms, elapsed, Commit}, {1400 * ms, taken("one ticket"), Wait}, {5 * time.Second, elapsed, Wait}},
		"complete endpoint": {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1010 * ms, complete("one ticket"), Draft},
			{1099 * ms, elapsed, Wait}, {1100 * ms, elapsed, Commit}},
		"complete before the silence is noticed": {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {900 * ms, complete("one ticket"), Wait},
			{1000 * ms, ends, Draft}, {1099 * ms, elapsed, Wait}, {1100 * ms, elapsed, Commit}},
		"complete, then the caller goes on": {{0, starts, Wait}, {900 * ms, complete("one ticket"), Wait}, {950 * ms, goesOn, Wait},
			{1150 * ms, ends, Wait}, {1250 * ms, final("please"), Draft}, {1549 * ms, elapsed, Wait}, {1550 * ms, elapsed, Commit}, {1550 * ms, taken("one ticket please"), Wait}},
		"completeness told later": {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1010 * ms, final("one ticket"), Draft},
			{1050 * ms, complete(""), Wait}, {1100 * ms, elapsed, Commit}},
		"unfinished endpoint": {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1100 * ms, final("one ticket and"), Draft},
			{1999 * ms, elapsed, Wait}, {2000 * ms, elapsed, Commit}},
		"a transcript after the endpoint commits at once": {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1900 * ms, final("yes"), Commit}},
		"noise is no turn":              {{0, starts, Wait}, {200 * ms, ends, Wait}, {300 * ms, final(""), Wait}, {5 * time.Second, elapsed, Wait}},
		"punctuation is no turn":        {{0, starts, Wait}, {200 * ms, ends, Wait}, {300 * ms, final("."), Wait}, {5 * time.Second, elapsed, Wait}},
		"no transcript comes":           {{0, starts, Wait}, {200 * ms, ends, Wait}, {2900 * ms, elapsed, Wait}, {3100 * ms, elapsed, Wait}},
		"only an interim one comes":     {{0, starts, Wait}, {100 * ms, interim("help me"), Wait}, {200 * ms, ends, Wait}, {250 * ms, elapsed, Draft}, {2999 * ms, elapsed, Wait}, {3000 * ms, elapsed, Commit}, {3000 * ms, taken("help me"), Wait}},
		"the recogniser breaks":         {{0, starts, Wait}, {100 * ms, interim("help me"), Wait}, {200 * ms, ends, Wait}, {220 * ms, lost, Wait}, {250 * ms, elapsed, Draft}, {3219 * ms, elapsed, Wait}, {3220 * ms, elapsed, Commit}, {3220 * ms, taken("help me"), Wait}},
		"another one hears it again":    {{0, starts, Wait}, {100 * ms, interim("help"), Wait}, {200 * ms, ends, Wait}, {220 * ms, lost, Wait}, {250 * ms, elapsed, Draft}, {3 * time.Second, back, Wait}, {3500 * ms, interim("help me"), Wait}, {3600 * ms, final("Help me."), Commit}, {3602 * ms, taken("Help me."), Wait}},
		"another one hears nothing":     {{0, starts, Wait}, {100 * ms, interim("help"), Wait}, {200 * ms, ends, Wait}, {220 * ms, lost, Wait}, {240 * ms, back, Wait}, {300 * ms, interim(""), Draft}, {400 * ms, final(""), Wait}, {600 * ms, elapsed, Commit}, {600 * ms, taken("help"), Wait}},
		"without one, silence is long":  {{0, starts, Wait}, {100 * ms, lost, Wait}, {200 * ms, ends, Wait}, {9 * time.Second, elapsed, Wait}, {10 * time.Second, back, Wait}, {11 * time.Second, final("help me"), Commit}, {11 * time.Second, taken("help me"), Wait}},
		"a stable interim is drafted":   {{0, starts, Wait}, {800 * ms, interim("Help"), Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Draft}, {1100 * ms, final("help."), Wait}, {1400 * ms, elapsed, Commit}},
		"a fresh one is not yet":        {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {990 * ms, interim("help"), Wait}, {1000 * ms, ends, Wait}, {1140 * ms, elapsed, Draft}},
		"another final makes a draft":   {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1100 * ms, final("help"), Draft}, {1200 * ms, final("me"), Draft}, {1400 * ms, elapsed, Commit}},
		"going on discards the draft":   {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1100 * ms, final("help"), Draft}, {1200 * ms, starts, Discard}, {1500 * ms, ends, Wait}, {1600 * ms, final("me"), Draft}, {1900 * ms, elapsed, Commit}, {1900 * ms, taken("help me"), Wait}},
		"a cough makes it again":        {{0, starts, Wait}, {800 * ms, goesOn, Wait}, {1000 * ms, ends, Wait}, {1100 * ms, final("help"), Draft}, {1200 * ms, starts, Discard}, {1500 * ms, ends, Wait}, {1600 * ms, final(""), Draft}, {1900 * ms, elapsed, Commit}},
		"soft speech is heard as text":  {{time.Minute, interim("hello"), Wait}, {time.Minute + 300*ms, final("hello"), Draft}, {time.Minute + 599*ms, elapsed, Wait}, {time.Minute + 600*ms, elapsed, Commit}},
		"pause, then speech interrupts": {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1080 * ms, goesOn, Wait}, {1100 * ms, goesOn, Pause}, {1120 * ms, goesOn, Wait}, {1439 * ms, goesOn, Wait}, {1440 * ms, goesOn, Interrupt}},
		"a word interrupts":             {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1050 * ms, interim("stop"), Interrupt}},
		"a cough resumes":               {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, Wait}, {1320 * ms, final(""), Wait}, {1499 * ms, elapsed, Wait}, {1500 * ms, elapsed, Resume}, {9 * time.Second, elapsed, Wait}},
		"an mm-hm resumes":              {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, Wait}, {1320 * ms, final("Mm-hm."), Wait}, {1500 * ms, elapsed, Resume}, {1600 * ms, floorTo(false), Wait}, {9 * time.Second, elapsed, Wait}},
		"a late word after resuming":    {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, Wait}, {1500 * ms, elapsed, Resume}, {1550 * ms, final("stop"), Interrupt}, {1551 * ms, elapsed, Draft}, {1700 * ms, elapsed, Commit}},
		"an old mm-hm means nothing":    {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1260 * ms, ends, Wait}, {1300 * ms, final("okay"), Wait}, {3000 * ms, floorTo(false), Wait}, {9 * time.Second, elapsed, Wait}},
		"a fresh one answers":           {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1260 * ms, ends, Wait}, {1300 * ms, final("okay"), Wait}, {1400 * ms, floorTo(false), Wait}, {1401 * ms, elapsed, Draft}, {1660 * ms, elapsed, Commit}},
		"an old mm-hm is no part of an interruption": {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1260 * ms, ends, Wait}, {1300 * ms, final("okay"), Wait},
			{4000 * ms, starts, Wait}, {4100 * ms, interim("stop"), Interrupt}, {4300 * ms, ends, Draft}, {4400 * ms, final("stop"), Wait}, {4700 * ms, elapsed, Commit}, {4700 * ms, taken("stop"), Wait}},
		"noise takes the floor and gives it back": {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1440 * ms, goesOn, Interrupt}, {1640 * ms, ends, Wait}, {1700 * ms, final(""), GoOn}, {1701 * ms, elapsed, Wait}},
		"but not for ever":                        slices.Concat([]happening{{0, floorTo(true), Wait}}, noise(1000*ms, GoOn), noise(3000*ms, GoOn), noise(5000*ms, GoOn), noise(7000*ms, Wait)),
		"a draft is taken back by a final":        {{0, starts, Wait}, {10 * ms, interim("uh"), Wait}, {200 * ms, ends, Draft}, {300 * ms, final(""), Discard}, {301 * ms, elapsed, Wait}, {9 * time.Second, elapsed, Wait}},
		"a draft is taken back by an interim":     {{time.Minute, interim("uh"), Wait}, {time.Minute + 150*ms, elapsed, Draft}, {time.Minute + 200*ms, interim(""), Discard}, {time.Minute + 9*time.Second, elapsed, Wait}},
		"noise that looked like a word":           {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1440 * ms, goesOn, Interrupt}, {1500 * ms, interim("uh"), Wait}, {1640 * ms, ends, Wait}, {1700 * ms, final(""), GoOn}},
		"and was drafted":                         {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1440 * ms, goesOn, Interrupt}, {1500 * ms, interim("uh"), Wait}, {1650 * ms, ends, Draft}, {1700 * ms, final(""), Discard}, {1701 * ms, elapsed, GoOn}},
		"a word that interrupts is taken back":    {{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1050 * ms, interim("stop"), Interrupt}, {1260 * ms, ends, Wait}, {1300 * ms, final(""), GoOn}},
		"speech that began before the floor":      {{0, starts, Wait}, {100 * ms, floorTo(true), Wait}, {120 * ms, goesOn, Pause}},
	} {
		t.Run(name, func(t *testing.T) {
			turn := NewTurnTaker(DefaultTurnOptions)
			for i, h := range happenings {
				if got := h.what(turn, dawn.Add(h.at)); got != h.want {
					t.Fatalf("happening %d, at %v: move %d, want %d (text %q)", i, h.at, got, h.want, turn.Text())
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
		want   time.Duration // after dawn; 0 for none
		move   Move
	}{
		"nothing":            {nil, 0, Wait},
		"speaking":           {[]happening{{0, starts, Wait}}, 0, Wait},
		"endpoint":           {[]happening{{0, starts, Wait}, {200 * ms, ends, Wait}, {250 * ms, final("yes"), Draft}}, 600 * ms, Commit},
		"stable interim":     {[]happening{{0, starts, Wait}, {190 * ms, interim("yes"), Wait}, {200 * ms, ends, Wait}}, 340 * ms, Draft},
		"drafted interim":    {[]happening{{0, starts, Wait}, {10 * ms, interim("yes"), Wait}, {200 * ms, ends, Draft}}, 3000 * ms, Commit},
		"deaf":               {[]happening{{0, starts, Wait}, {200 * ms, ends, Wait}, {220 * ms, lost, Wait}}, 0, Wait},
		"deaf, with words":   {[]happening{{0, starts, Wait}, {10 * ms, interim("yes"), Wait}, {200 * ms, ends, Draft}, {220 * ms, lost, Wait}}, 3220 * ms, Commit},
		"transcript awaited": {[]happening{{0, starts, Wait}, {200 * ms, ends, Wait}}, 3000 * ms, Wait},
		"agent speaks":       {[]happening{{0, floorTo(true), Wait}}, 0, Wait},
		"agent is paused":    {[]happening{{0, floorTo(true), Wait}, {1000 * ms, starts, Wait}, {1100 * ms, goesOn, Pause}, {1300 * ms, ends, Wait}}, 1500 * ms, Resume},
	} {
		t.Run(name, func(t *testing.T) {
			turn := NewTurnTaker(DefaultTurnOptions)
			for _, h := range tc.before {
				if got := h.what(turn, dawn.Add(h.at)); got != h.want {
					t.Fatalf("at %v: move %d, want %d", h.at, got, h.want)
				}
			}
			got := turn.Deadline()
			if tc.want == 0 {
				if !got.IsZero() {
					t.Fatalf("deadline is %v after dawn, want none", got.Sub(dawn))
				}
				return
			}
			if got.Sub(dawn) != tc.want {
				t.Fatalf("deadline is %v after dawn, want %v", got.Sub(dawn), tc.want)
			}
			if move := turn.Elapsed(got); move != tc.move {
				t.Errorf("move at the deadline is %d, want %d", move, tc.move)
			}
			if next := turn.Deadline(); tc.move != Commit && !next.IsZero() && !next.After(got) {
				t.Errorf("the deadline stays at %v", next.Sub(dawn))
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
		if got := looksUnfinished(text); got != want.unfinished {
			t.Errorf("%q looks unfinished: %v, want %v", text, got, want.unfinished)
		}
		if got := isBackchannel(text); got != want.backchannel {
			t.Errorf("%q is a backchannel: %v, want %v", text, got, want.backchannel)
		}
	}
}
