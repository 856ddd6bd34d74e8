package voice

import (
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/playout"
	"parley/internal/voice/turn"
)

const (
	// echoWords is how many of the words that were played last are compared with a transcript, beyond as many as the
	// transcript has.
	echoWords = 15
	// echoAhead is how many words after the played position are compared too: the position is an estimate where the
	// provider sends no word times.
	echoAhead = 6
	// echoTranscript is how long after the agent's last frame a transcript of its echo may arrive.
	echoTranscript = 1500 * time.Millisecond
	// echoGap is the silence that separates two sounds of the caller.
	echoGap = 200 * time.Millisecond
)

// echoGuard identifies transcripts of the agent's own voice. It is the second check, after the listener's: the
// recogniser may receive the beginning of an echo before the listener has identified it.
type echoGuard struct {
	answer *answer   // of the agent's turn: the last one that was not preemptive
	before string    // what was played before the answer in the queue
	turn   bool      // echo was found in the caller's audio in this turn
	sure   bool      // the caller surely spoke in this turn
	sound  bool      // echo was found in the caller's current or last sound
	begun  time.Time // of that sound
	voiced time.Time // its last frame
}

// beginTurn starts the agent's turn with an answer.
func (g *echoGuard) beginTurn(a *answer) { g.answer, g.turn, g.sure = a, false, false }

// pushFrame handles the classification of a frame of the caller's audio.
func (g *echoGuard) pushFrame(e Classification, now time.Time) {
	if !e.Voiced {
		return
	}
	if now.Sub(g.voiced) > echoGap {
		g.begun, g.sound = now, false
	}
	g.voiced = now
	if e.Echo {
		g.sound, g.turn = true, true
	}
	g.sure = g.sure || e.SureSpeech
}

// isPossible reports whether the caller's current or last sound may hold the agent's voice, which was last played at a
// time. A sound that began later needs echo of its own.
func (g *echoGuard) isPossible(played, now time.Time) bool {
	if g.sure || g.answer == nil || played.IsZero() || now.Sub(played) > echoTranscript {
		return false
	}
	return g.sound || g.turn && !g.begun.After(played.Add(dialogue.FrameDuration))
}

// addPlayed adds the played text of an answer that left the queue.
func (g *echoGuard) addPlayed(text string) {
	const kept = 500 // bytes
	g.before = strings.TrimSpace(g.before + " " + text)
	if n := len(g.before); n > kept {
		g.before = g.before[n-kept:]
	}
}

// matches reports whether every word of a text occurs, in this order, in what was just played or is about to be.
func (g *echoGuard) matches(text string, q *playout.Queue) bool {
	words := turn.Words(text)
	played := turn.Words(g.before + " " + q.VoicedText())
	window := played[max(0, len(played)-echoWords-len(words)):]
	if q.Played() > 0 {
		all := turn.Words(q.Text())
		next := min(len(turn.Words(q.VoicedText())), len(all))
		window = append(window[:len(window):len(window)], all[next:min(len(all), next+echoAhead)]...)
	}
	for _, word := range window {
		if len(words) > 0 && word == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}
