package media

import (
	"context"
	"strings"
	"testing"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"
)

// A client of LiveKit's own SDK sees what both sides say, each in the name of who said it, and its texts arrive.
func TestTextStreams(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	token, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	texts := make(chan string, 10)
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	agent, err := NewJoiner(nil).Join(ctx, JoinOptions{URL: server.URL(), Token: token, Agent: true, Data: true, OnText: func(text string) { texts <- text }})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Leave()

	type heard struct{ who, text, segment, final string }
	transcripts := make(chan heard, 10)
	caller, err := lksdk.ConnectToRoom(server.URL(), lksdk.ConnectInfo{APIKey: tokens.Key, APISecret: tokens.Secret, RoomName: room, ParticipantIdentity: "caller"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Disconnect()
	if err := caller.RegisterTextStreamHandler(TopicTranscription, func(reader *lksdk.TextStreamReader, identity string) {
		go func() {
			transcripts <- heard{identity, reader.ReadAll(), reader.Info.Attributes[segmentAttribute], reader.Info.Attributes[finalAttribute]}
		}()
	}); err != nil {
		t.Fatal(err)
	}
	next(t, agent, PeerJoined)

	want := func(what heard) {
		t.Helper()
		select {
		case got := <-transcripts:
			if got.who != what.who || got.text != what.text || got.segment != what.segment {
				t.Errorf("got %+v, want %+v", got, what)
			}
		case <-time.After(testLimit):
			t.Fatalf("no transcript %+v", what)
		}
	}
	long := strings.Repeat("größer ", chunkLength/4)
	for _, said := range []Transcript{{Segment: "1", Text: "when do"}, {Segment: "1", Text: "When do you open?", Final: true}, {Segment: "2", Text: long, Final: true}} {
		said.Peer = true
		if err := agent.SendTranscript(said); err != nil {
			t.Fatal(err)
		}
		want(heard{who: "caller", text: said.Text, segment: said.Segment})
	}
	for _, said := range []Transcript{{Segment: "3", Text: "We open"}, {Segment: "3", Text: "We open at nine."}, {Segment: "3", Text: "We open at nine.", Final: true}} {
		if err := agent.SendTranscript(said); err != nil {
			t.Fatal(err)
		}
	}
	want(heard{who: "agent", text: "We open at nine.", segment: "3"})

	// LiveKit's SDK sends each text in a separate goroutine: the next one is sent after this has arrived.
	say := func(text, topic string) {
		caller.LocalParticipant.SendText(text, lksdk.StreamTextOptions{Topic: topic})
	}
	say("of another topic", "other")
	say(strings.Repeat("x", maxText+1), TopicChat)
	for _, text := range []string{"hello there", "goodbye"} {
		say("  "+text+" ", TopicChat)
		select {
		case got := <-texts:
			if got != text {
				t.Errorf("got %q, want %q", got, text)
			}
		case <-time.After(testLimit):
			t.Fatalf("the text %q does not arrive", text)
		}
	}
}

func TestWholeRunes(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aö", 2, "a"}, {"öö", 3, "ö"}} {
		if got := wholeRunes(c.text, c.limit); got != c.want {
			t.Errorf("%q cut at %d is %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}
