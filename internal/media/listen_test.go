package media

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// Packets of a tone, some of them lost, late or swapped, must come out as one unbroken tone.
func TestReceiverRepairsTheStream(t *testing.T) {
	enc, err := audio.NewEncoder(dialogue.SpeakRate)
	if err != nil {
		t.Fatal(err)
	}
	tone := audio.Tone(500, dialogue.SpeakRate, time.Second)
	var packets [][]byte
	for ; len(tone) >= 480; tone = tone[480:] {
		buf := make([]byte, audio.MaxPacket)
		n, err := enc.Encode(tone[:480], buf)
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, buf[:n])
	}
	for _, tc := range []struct {
		name  string
		order func() []int
	}{
		{"in order", func() (o []int) {
			for i := range packets {
				o = append(o, i)
			}
			return o
		}},
		{"every tenth lost", func() (o []int) {
			for i := range packets {
				if i%10 != 5 {
					o = append(o, i)
				}
			}
			return o
		}},
		{"pairs swapped", func() (o []int) {
			for i := range packets {
				o = append(o, i^1)
			}
			return o
		}},
		{"each twice", func() (o []int) {
			for i := range packets {
				o = append(o, i, i)
			}
			return o
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var heard []int16
			frames := 0
			e, err := newReceiver(func(f []int16) { heard = append(heard, f...); frames++ }, jitterDelay)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			for _, i := range tc.order() {
				now = now.Add(10 * time.Millisecond)
				e.push(uint16(65530+i), packets[i], now)
			}
			if frames < len(packets)-1 || frames > len(packets) {
				t.Errorf("%d frames out of %d packets", frames, len(packets))
			}
			mid := heard[3200 : len(heard)-3200]
			if p := audio.Power(mid, 500, dialogue.ListenRate); p < 0.9 {
				t.Errorf("the tone carries %.3f of the energy", p)
			}
		})
	}
}

// A pause is filled at the rate of the clock, beginning with what was waited for.
func TestReceiverFillsPauses(t *testing.T) {
	frames := 0
	e, err := newReceiver(func([]int16) { frames++ }, jitterDelay)
	if err != nil {
		t.Fatal(err)
	}
	enc, _ := audio.NewEncoder(dialogue.SpeakRate)
	packet := make([]byte, audio.MaxPacket)
	n, _ := enc.Encode(make([]int16, 480), packet)
	start := time.Now()
	e.push(1, packet[:n], start)
	for e.deadline().Before(start.Add(time.Second)) {
		e.fillMissing(e.deadline())
	}
	if frames != 50 {
		t.Errorf("%d frames in a second of one packet and a pause, want 50", frames)
	}
}

// Nothing is heard beside the packets of a phone that its gateway has held behind a missing one.
func TestPacketsHeldByAGateway(t *testing.T) {
	frames := 0
	e, err := newReceiver(func([]int16) { frames++ }, phoneDelay)
	if err != nil {
		t.Fatal(err)
	}
	enc, _ := audio.NewEncoder(dialogue.SpeakRate)
	packet := make([]byte, audio.MaxPacket)
	n, _ := enc.Encode(make([]int16, 480), packet)
	now, seq := time.Now(), uint16(0)
	for range 10 {
		now = now.Add(140 * time.Millisecond) // 40 ms on the way, and 100 ms at the gateway
		for e.deadline().Before(now) {
			e.fillMissing(e.deadline())
		}
		for range 7 {
			e.push(seq, packet[:n], now)
			seq++
		}
	}
	if frames != 70 {
		t.Errorf("%d frames of 70 packets", frames)
	}
}

func TestTimestampsSurvivePauses(t *testing.T) {
	m, err := newMicrophone(dialogue.SpeakRate)
	if err != nil {
		t.Fatal(err)
	}
	start, frame := time.Now(), make([]int16, 480)
	for i, tc := range []struct {
		at     time.Duration
		next   int64 // index of the frame after the one played
		marker bool
	}{
		{0, 1, true}, {21 * time.Millisecond, 2, false}, {55 * time.Millisecond, 3, false}, {58 * time.Millisecond, 4, false}, // unsteady pacing
		{1000 * time.Millisecond, 51, true}, {1020 * time.Millisecond, 52, false}, // after a pause
	} {
		started, next := m.started, m.nextFrame
		if header := m.header(start.Add(tc.at)); header.Marker != tc.marker {
			t.Errorf("frame %d: the marker is %t", i, header.Marker)
		}
		m.started, m.nextFrame = started, next
		if err := m.playFrame(frame, start.Add(tc.at)); err != nil {
			t.Fatal(err)
		}
		if m.nextFrame != tc.next {
			t.Errorf("frame %d: index %d follows, want %d", i, m.nextFrame, tc.next)
		}
	}
	if err := m.playFrame(frame[:100], start); err == nil {
		t.Error("played 100 samples")
	}
}

func TestTokensGrantNoMore(t *testing.T) {
	for _, agent := range []bool{false, true} {
		sign := tokens.Caller
		if agent {
			sign = tokens.Agent
		}
		signed, err := sign("room", "someone", time.Now(), 90*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		verifier, err := auth.ParseAPIToken(signed)
		if err != nil {
			t.Fatal(err)
		}
		claims, grants, err := verifier.Verify(testSecret)
		if err != nil {
			t.Fatal(err)
		}
		v := grants.Video
		if v.Room != "room" || !v.RoomJoin || v.RoomAdmin || v.RoomCreate || v.RoomList || v.Hidden || v.GetCanUpdateOwnMetadata() != agent ||
			!v.GetCanPublishSource(livekit.TrackSource_MICROPHONE) || v.GetCanPublishSource(livekit.TrackSource_CAMERA) || !v.GetCanPublishData() {
			t.Errorf("agent %v: grants %+v", agent, v)
		}
		if (grants.GetParticipantKind() == livekit.ParticipantInfo_AGENT) != agent {
			t.Errorf("agent %v: kind %v", agent, grants.GetParticipantKind())
		}
		if left := time.Until(claims.ExpiresAt.Time); math.Abs(left.Seconds()-90) > 2 {
			t.Errorf("valid for %v", left)
		}
	}
}

// A token is good by this machine's clock and by the database's, however far they are apart.
func TestTokensOfTwoClocks(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, 0, time.Hour} {
		here := time.Now()
		there := here.Add(ahead)
		signed, err := tokens.Caller("room", "someone", there, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, now := range []time.Time{here, there, here.Add(59 * time.Second), there.Add(59 * time.Second)} {
			var c jwt.RegisteredClaims
			if _, err := jwt.ParseWithClaims(signed, &c, func(*jwt.Token) (any, error) { return []byte(testSecret), nil }, jwt.WithTimeFunc(func() time.Time { return now })); err != nil {
				t.Errorf("the database's clock is %v ahead, %v after: %v", ahead, now.Sub(here), err)
			}
		}
	}
	if _, err := (Tokens{}).Caller("room", "someone", time.Now(), time.Minute); err == nil {
		t.Error("signed without a secret")
	}
}

func TestLogKeepsSecrets(t *testing.T) {
	var out bytes.Buffer
	log := newLivekitLog(slog.New(slog.NewTextHandler(&out, nil)))
	token, _ := tokens.Caller("room", "+15550100", time.Now(), time.Minute)
	log.WithValues("participant", "+15550100", "room", "room-1").Warnw("read from 203.0.113.7:4000 and [2001:db8::7]:4000",
		errors.New("invalid token: "+token), "remote", "+15550100", "state", "closed")
	log.Infow("quiet")
	log.WithComponent("pion.ice").Errorw("quiet too", nil)
	got := out.String()
	for _, secret := range []string{"15550100", "203.0.113.7", "2001:db8", token[:20], token[len(token)-10:], "quiet"} {
		if strings.Contains(got, secret) {
			t.Errorf("the log has %q: %s", secret, got)
		}
	}
	for _, want := range []string{"room=room-1", "state=closed", "invalid token", "level=WARN"} {
		if !strings.Contains(got, want) {
			t.Errorf("the log lacks %q: %s", want, got)
		}
	}
}
