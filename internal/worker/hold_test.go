package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/sound"
)

// holdSounds answers with an error, or not before a context ends.
type holdSounds struct{ err error }

func (h holdSounds) Loop(ctx context.Context, _, _ string) (*sound.Loop, error) {
	if h.err == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, h.err
}

func (h holdSounds) Source(context.Context, string, string) (sound.Source, error) { return nil, h.err }

// A hold sound that cannot be loaded, or not in time: the server's is played, and the error log says so.
func TestHoldSoundThatCannotBeLoaded(t *testing.T) {
	for _, tc := range []struct {
		name, sound string
		sounds      holdSounds
		want        string // in the error log
		after       time.Duration
	}{
		{"none", "", holdSounds{errors.New("not to be asked")}, "", 0},
		{"gone", "waiting", holdSounds{fault.Missing("sound")}, "there is no hold sound waiting any more: the sound of this server is played", 0},
		{"broken", "waiting", holdSounds{errors.New("the database is broken")}, "the hold sound waiting could not be loaded: the sound of this server is played", 0},
		{"slow", "waiting", holdSounds{}, "the hold sound waiting could not be loaded: the sound of this server is played", holdLoad},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &session{w: &Worker{options: Options{Sounds: tc.sounds}}, call: &call.Call{TenantID: acme}, trace: t.Context(), log: slog.New(slog.DiscardHandler)}
				s.journal = &journal{s: s, wake: make(chan struct{}, 1)}
				began := time.Now()
				player := s.holdPlayer("desk", tc.sound)
				if took := time.Since(began); took != tc.after {
					t.Errorf("it is played after %v, want %v", took, tc.after)
				}
				for at := range 100 {
					if want := holdSound()[at*speakFrame : (at+1)*speakFrame]; !slices.Equal(player.next(), want) {
						t.Fatalf("frame %d is not the server's", at)
					}
				}
				var log []string
				for _, e := range s.journal.pending.Errors {
					log = append(log, e.Message)
					if e.Level != call.LevelWarning || e.Agent == nil || *e.Agent != "desk" {
						t.Errorf("%+v", e)
					}
				}
				if len(log) > 1 || tc.want != "" && !slices.Contains(log, tc.want) || tc.want == "" && log != nil {
					t.Errorf("the error log has %q, want %q", log, tc.want)
				}
			})
		})
	}
}
