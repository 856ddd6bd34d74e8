package sip

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A stream of messages is accepted however it is divided into reads; an endless message, or one with contradictory
// lengths, is rejected.
func TestMessageScanner(t *testing.T) {
	const start = "OPTIONS sip:x SIP/2.0\r\n"
	body := strings.Repeat("b", 1000)
	good := []string{start + "\r\n", start + "Content-Length: 0\r\n\r\n", "\r\n\r\n", start + "cOntent-length :  1000 \r\n\r\n" + body, start + "l:4\r\n\r\n\r\n\r\n",
		start + "X: " + strings.Repeat("x", maxMessage-len(start)-10) + "\r\n\r\n"}
	bad := []string{
		start + strings.Repeat("X: y\r\n", maxMessage/6+1), strings.Repeat("x", maxMessage), start + "Content-Length: 65537\r\n\r\n", start + "Content-Length: -1\r\n\r\n",
		start + "Content-Length: 1\r\nl: 2000000000\r\n\r\n", start + "Content-Length:\r\n 9\r\n\r\n", start + "Content-Length: x\r\n\r\n",
	}
	random := rand.New(rand.NewPCG(1, 2))
	cut := func(m *messageScanner, text string) error {
		for len(text) > 0 {
			n := min(1+random.IntN(3000), len(text))
			if err := m.scan([]byte(text[:n])); err != nil {
				return err
			}
			text = text[n:]
		}
		return nil
	}
	for range 50 {
		var m messageScanner
		for range 20 {
			if err := cut(&m, good[random.IntN(len(good))]); err != nil {
				t.Fatal(err)
			}
		}
		if len(m.header) != 0 || m.body != 0 {
			t.Fatalf("in the middle of a message: %d bytes of header, %d of body to come", len(m.header), m.body)
		}
		for _, text := range bad {
			var m messageScanner
			if cut(&m, good[random.IntN(len(good))]+text) == nil {
				t.Errorf("%.60q passes", text)
			}
		}
	}
}
