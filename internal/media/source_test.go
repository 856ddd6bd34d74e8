package media

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
)

// A caller whose client names no source for its track is heard.
func TestTrackWithoutSource(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent := enter(t, room, "agent", true)
	token, err := tokens.Caller(room, "caller", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := joiner.Join(context.Background(), JoinOptions{URL: server.URL(), Token: token, sourceless: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	next(t, agent, PeerJoined)
	next(t, agent, PeerAudio)
	stop := make(chan struct{})
	var playing sync.WaitGroup
	playing.Go(func() { playTone(t, caller, 700, stop) })
	defer playing.Wait()
	defer close(stop)
	awaitTone(t, agent, 700)
}

func TestWhichTrackIsTheVoice(t *testing.T) {
	track := func(sid string, source livekit.TrackSource) *livekit.TrackInfo {
		return &livekit.TrackInfo{Sid: sid, Source: source}
	}
	unknown, second := track("a", livekit.TrackSource_UNKNOWN), track("b", livekit.TrackSource_UNKNOWN)
	mic, shared := track("m", livekit.TrackSource_MICROPHONE), track("s", livekit.TrackSource_SCREEN_SHARE_AUDIO)
	for name, tc := range map[string]struct {
		listening string // to a track
		published []*livekit.TrackInfo
		offered   *livekit.TrackInfo
		want      bool
	}{
		"the microphone":                        {"", nil, mic, true},
		"the microphone instead of another":     {"a", []*livekit.TrackInfo{unknown, mic}, mic, true},
		"one without a source":                  {"", []*livekit.TrackInfo{unknown}, unknown, true},
		"the same again":                        {"a", []*livekit.TrackInfo{unknown}, unknown, true},
		"a second without a source":             {"a", []*livekit.TrackInfo{unknown, second}, second, false},
		"one beside the microphone":             {"m", []*livekit.TrackInfo{mic, unknown}, unknown, false},
		"one in place of one that is not there": {"a", []*livekit.TrackInfo{second}, second, true},
		"the sound of a shared screen":          {"", []*livekit.TrackInfo{shared}, shared, false},
	} {
		p := &Participant{track: tc.listening}
		if got := p.isVoice(&livekit.ParticipantInfo{Tracks: tc.published}, tc.offered); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
