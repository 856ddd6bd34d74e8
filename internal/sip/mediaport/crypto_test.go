package mediaport

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"

	"parley/internal/sip/negotiation"
)

func newKey(t testing.TB, suite string) *negotiation.Key {
	t.Helper()
	profile := profiles[suite]
	key, _ := profile.KeyLen()
	salt, err := profile.SaltLen()
	if err != nil {
		t.Fatal(err)
	}
	k := &negotiation.Key{Tag: 1, Suite: suite, Secret: make([]byte, key+salt)}
	_, _ = rand.Read(k.Secret)
	return k
}

func newCipher(t testing.TB, k *negotiation.Key) *srtp.Context {
	t.Helper()
	c, err := newContext(k)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// arrive lets packets of the peer arrive and waits until they are handled.
func (p *fakePort) arrive(packets ...[]byte) {
	for _, data := range packets {
		p.media.in <- datagram{data: data, peer: peerRTP}
	}
	synctest.Wait()
}

func rtpPacket(t testing.TB, ssrc uint32, seq uint16) []byte {
	t.Helper()
	p := rtp.Packet{Header: rtp.Header{Version: 2, SSRC: ssrc, SequenceNumber: seq, Timestamp: uint32(seq) * 160}, Payload: bytes.Repeat([]byte{0x80}, 160)}
	data, err := p.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Each suite protects both directions. What is not protected with the agreed key is not accepted, nor what came before.
func TestEncryption(t *testing.T) {
	for suite := range profiles {
		synctest.Test(t, func(t *testing.T) {
			p := openFake(t)
			s := streamOf(negotiation.PCMU)
			s.LocalKey, s.RemoteKey = newKey(t, suite), newKey(t, suite)
			p.configure(t, s)
			phone, listener := newCipher(t, s.RemoteKey), newCipher(t, s.LocalKey)
			encrypt := func(seq uint16) []byte {
				data, err := phone.EncryptRTP(nil, rtpPacket(t, 7, seq), nil)
				if err != nil {
					t.Fatal(err)
				}
				return data
			}
			first, second := encrypt(1), encrypt(2)
			p.arrive(first, second)
			if q := p.Quality(); q.Received.Packets != 2 || q.Rejected != 0 {
				t.Fatalf("%s: received %d packets, rejected %d", suite, q.Received.Packets, q.Rejected)
			}
			forged := encrypt(3)
			forged[len(forged)-1] ^= 1
			p.arrive(second, rtpPacket(t, 7, 4), forged, []byte(strings.Repeat("x", 20)))
			if q := p.Quality(); q.Received.Packets != 2 || q.Rejected != 4 {
				t.Errorf("%s: received %d packets, rejected %d of repeated, plain, forged and other ones", suite, q.Received.Packets, q.Rejected)
			}
			time.Sleep(time.Second)
			sent := p.media.take()
			if len(sent) == 0 {
				t.Fatalf("%s: nothing is sent", suite)
			}
			for _, d := range sent {
				if _, err := listener.DecryptRTP(nil, d.data, nil); err != nil {
					t.Fatalf("%s: %v", suite, err)
				}
			}
		})
	}
}

// A new key is used at once; packets with the former one that are on their way are still accepted for a while. A peer may go
// on with the rollover counter or begin anew.
func TestNewKeys(t *testing.T) {
	const suite = "AES_CM_128_HMAC_SHA1_80"
	for _, continued := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := openFake(t)
			s := streamOf(negotiation.PCMU)
			s.LocalKey, s.RemoteKey = newKey(t, suite), newKey(t, suite)
			p.configure(t, s)
			old := newCipher(t, s.RemoteKey)
			accepted := func(c *srtp.Context, seq uint16) bool {
				data, err := c.EncryptRTP(nil, rtpPacket(t, 7, seq), nil)
				if err != nil {
					t.Fatal(err)
				}
				before := p.Quality().Rejected
				p.arrive(data)
				return p.Quality().Rejected == before
			}
			if !accepted(old, 65535) || !accepted(old, 0) {
				t.Fatal("packets over the wrap are not accepted")
			}
			time.Sleep(100*time.Millisecond + frameTime/4) // between two packets
			ssrc := parse(t, p.media.take())[0].SSRC
			s.LocalKey, s.RemoteKey = newKey(t, suite), newKey(t, suite)
			p.configure(t, s)
			next := newCipher(t, s.RemoteKey)
			if continued {
				next.SetROC(7, 1)
			}
			if !accepted(old, 1) || !accepted(next, 2) || !accepted(old, 3) || !accepted(next, 4) {
				t.Error("a packet is not accepted just after the change")
			}
			time.Sleep(keyGrace + time.Second)
			if accepted(old, 5) {
				t.Error("a packet with the former key is accepted long after the change")
			}
			if !accepted(next, 6) {
				t.Error("a packet with the new key is not accepted")
			}
			listener := newCipher(t, s.LocalKey)
			for _, d := range p.media.take() {
				plain, err := listener.DecryptRTP(nil, d.data, nil)
				if err != nil {
					t.Fatal(err)
				}
				if parse(t, []datagram{{data: plain}})[0].SSRC == ssrc {
					t.Fatal("the stream is the same with a new key")
				}
			}
		})
	}
}

// What cannot be used is an error that names it, and changes nothing.
func TestUnusableStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openFake(t)
		s := streamOf(negotiation.PCMU)
		p.configure(t, s)
		bad := []negotiation.Stream{s, s, s, s}
		bad[0].Codec = "G729"
		bad[1].LocalKey = &negotiation.Key{Suite: "F8_128_HMAC_SHA1_80", Secret: make([]byte, 30)}
		bad[2].RemoteKey = &negotiation.Key{Suite: "AES_CM_128_HMAC_SHA1_80", Secret: make([]byte, 29)}
		bad[3].Codec = ""
		for i, want := range []string{`"G729"`, `"F8_128_HMAC_SHA1_80"`, "29 bytes, want 30", `""`} {
			bad[i].Remote, bad[i].Control = peerRTCP, peerRTP
			if err := p.Configure(bad[i]); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("configure: %v, want %s", err, want)
			}
		}
		time.Sleep(time.Second)
		for i, d := range p.media.take() {
			if packet := parse(t, []datagram{d})[0]; d.peer != peerRTP || packet.PayloadType != 0 {
				t.Fatalf("packet %d goes to %v with type %d", i, d.peer, packet.PayloadType)
			}
		}
	})
}
