package media

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/report"
	"github.com/pion/webrtc/v4"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

func TestLosses(t *testing.T) {
	const (
		excellent, good = livekit.ConnectionQuality_EXCELLENT, livekit.ConnectionQuality_GOOD
		poor, lost      = livekit.ConnectionQuality_POOR, livekit.ConnectionQuality_LOST
	)
	l := lossEstimate{expected: audio.UsualLoss}
	for i, tc := range []struct {
		identity string
		quality  livekit.ConnectionQuality
		percent  int
		changed  bool
	}{
		{"caller", good, audio.UsualLoss, false},
		{"caller", excellent, 0, true},
		{"agent", excellent, 0, false},
		{"agent", poor, heavyLoss, true},
		{"caller", good, heavyLoss, false},
		{"agent", excellent, audio.UsualLoss, true},
		{"caller", lost, heavyLoss, true},
		{"caller", excellent, 0, true},
	} {
		if percent, changed := l.update(tc.identity, tc.quality); percent != tc.percent || changed != tc.changed {
			t.Errorf("report %d: %d %%, changed %t; want %d, %t", i, percent, changed, tc.percent, tc.changed)
		}
	}
}

// lossy drops a share of the packets that come in, below whatever counts them.
type lossy struct {
	interceptor.NoOp
	share float64
}

func (l *lossy) NewInterceptor(string) (interceptor.Interceptor, error) { return l, nil }

func (l *lossy) BindRemoteStream(_ *interceptor.StreamInfo, reader interceptor.RTPReader) interceptor.RTPReader {
	return interceptor.RTPReaderFunc(func(b []byte, a interceptor.Attributes) (int, interceptor.Attributes, error) {
		for {
			n, attributes, err := reader.Read(b, a)
			if err != nil || rand.Float64() >= l.share {
				return n, attributes, err
			}
		}
	})
}

// listen joins as a caller who loses a share of the packets, requests no retransmission, and speaks.
func listen(t *testing.T, room string, share float64) {
	t.Helper()
	token, err := tokens.Caller(room, "caller", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	reports, err := report.NewReceiverInterceptor()
	if err != nil {
		t.Fatal(err)
	}
	mic, err := newMicrophone(dialogue.SpeakRate)
	if err != nil {
		t.Fatal(err)
	}
	callback := lksdk.NewRoomCallback()
	callback.OnTrackSubscribed = func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
		for {
			if _, _, err := track.ReadRTP(); err != nil {
				return
			}
		}
	}
	caller := lksdk.NewRoom(callback)
	if err := caller.JoinWithToken(server.URL(), token, lksdk.WithInterceptors([]interceptor.Factory{&lossy{share: share}, reports})); err != nil {
		t.Fatal(err)
	}
	if _, err := caller.LocalParticipant.PublishTrack(mic.track, &lksdk.TrackPublicationOptions{Name: "voice"}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var speaking sync.WaitGroup
	speaking.Go(func() {
		for tick := time.NewTicker(dialogue.FrameDuration); ctx.Err() == nil; <-tick.C {
			if err := mic.playFrame(make([]int16, dialogue.SpeakRate/50), time.Now()); err != nil {
				t.Errorf("speak: %v", err)
				return
			}
		}
	})
	t.Cleanup(func() {
		stop()
		speaking.Wait()
		caller.Disconnect()
	})
}

// The agent's encoder adapts to the packet loss between the media server and the caller.
func TestLossesOfTheListener(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		share   float64
		percent int
	}{"none": {0, 0}, "a fourth": {0.25, heavyLoss}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			room := newRoom(t)
			agent := enter(t, room, "agent", true)
			listen(t, room, tc.share)
			stop := make(chan struct{})
			defer close(stop)
			go playTone(t, agent, 440, stop)
			await(t, fmt.Sprintf("%d %% of loss are expected", tc.percent), func() bool {
				agent.mic.mu.Lock()
				defer agent.mic.mu.Unlock()
				return agent.mic.loss.expected == tc.percent
			})
		})
	}
}
