package sip

import (
	"fmt"
	"testing"

	"parley/e2e/sippeer"
)

// encryptions are what calls are tried with, by whether the phone uses SRTP.
var encryptions = map[bool]MediaEncryption{false: EncryptionOff, true: EncryptionRequire}

// A call of linphone has audio both ways, keys, hold and resume. A transfer that it asks for is refused without an effect on the call.
func TestLinphoneCalls(t *testing.T) {
	t.Parallel()
	for secure, encryption := range encryptions {
		t.Run(string(encryption), func(t *testing.T) {
			t.Parallel()
			r := newReception(t, InboundRoute{Encryption: encryption})
			p := sippeer.StartLinphone(t, secure)
			p.Command(t, fmt.Sprintf("call sip:%s@127.0.0.1:%d", testNumber, r.Port()))
			end := agentTone(t, r.agent, 900)
			defer end()
			awaitTone(t, r.agent, sippeer.LinphoneTone)
			p.Command(t, "5")
			awaitKey(t, r.keys, '5')
			p.Hold(t)
			awaitHeld(t, r.desk.room, true)
			p.Resume(t)
			awaitHeld(t, r.desk.room, false)
			p.Command(t, fmt.Sprintf("transfer 1 sip:desk@127.0.0.1:%d", r.Port()))
			p.Command(t, "9")
			awaitKey(t, r.keys, '9')
			awaitTone(t, r.agent, sippeer.LinphoneTone)
			p.AwaitReceived(t, 900)
			end()
			p.Command(t, "terminate")
			r.awaitGone(t)
		})
	}
}

// A call to linphone has audio both ways, hold and resume. The agent hangs up.
func TestLinphoneAnswers(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	for secure, encryption := range encryptions {
		t.Run(string(encryption), func(t *testing.T) {
			t.Parallel()
			p := sippeer.StartLinphone(t, secure)
			d := number(t, OutboundRoute{Address: p.Address, Transport: UDP, Encryption: encryption})
			agent := enter(t, d.Room)
			end := agentTone(t, agent, 900)
			defer end()
			if err := g.Dial(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			awaitTone(t, agent, sippeer.LinphoneTone)
			p.Hold(t)
			awaitHeld(t, d.Room, true)
			p.Resume(t)
			awaitHeld(t, d.Room, false)
			awaitTone(t, agent, sippeer.LinphoneTone)
			p.AwaitReceived(t, 900)
			end()
			if err := rooms().Delete(t.Context(), d.Room); err != nil {
				t.Fatal(err)
			}
			p.Await(t, " ended (")
		})
	}
}
