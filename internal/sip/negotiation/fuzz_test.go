package negotiation

import (
	"testing"
	"time"
)

// FuzzSession answers anything, and takes anything as an answer.
func FuzzSession(f *testing.F) {
	for _, seed := range peers {
		f.Add([]byte(seed.description))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, e := range []Encryption{Off, Allow, Require} {
			s := New(Options{Local: here, Encryption: e})
			for range 2 {
				answer, stream, err := s.Answer(body, source)
				if err != nil {
					break
				}
				if _, err := parse(answer); err != nil {
					t.Fatalf("the answer cannot be read: %v\n%s", err, answer)
				}
				if stream.Codec == "" || stream.PacketTime < 10*time.Millisecond || stream.PacketTime > 60*time.Millisecond || (stream.LocalKey == nil) != (stream.RemoteKey == nil) ||
					e == Require && stream.LocalKey == nil || e == Off && stream.LocalKey != nil {
					t.Fatalf("the stream is %+v", stream)
				}
			}
			if _, err := s.Offer(); err != nil {
				t.Fatal(err)
			}
			_, _ = s.Preview(body, source)
			if _, err := s.Accept(body, source); err != nil && s.Pending() {
				t.Fatal("a refused answer leaves the offer open")
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("multipart/mixed;boundary=b", []byte("--b\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--b--"))
	f.Fuzz(func(_ *testing.T, kind string, body []byte) {
		_, _ = Find(kind, body)
	})
}
