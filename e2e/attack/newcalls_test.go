package attack

import (
	"fmt"
	"testing"
	"time"
)

// Calls that are cancelled immediately cannot fill the database: new calls per minute are limited for each number, tenant and
// address, and others are answered meanwhile.
func TestCancelledPhoneCalls(t *testing.T) {
	t.Parallel()
	const perNumber, perTenant, perAddress = 10, 15, 20
	s, port := phoneServer(t, map[string]string{"PARLEY_SIP_NEW_CALLS_PER_NUMBER": fmt.Sprint(perNumber), "PARLEY_SIP_NEW_CALLS_PER_TENANT": fmt.Sprint(perTenant),
		"PARLEY_SIP_NEW_CALLS_PER_ADDRESS": fmt.Sprint(perAddress)})
	acme, other := newTenant(t, s, "acme", "*"), newTenant(t, s, "other", "*")
	for _, key := range []string{acme, other} {
		newDesk(t, s, key)
	}
	carrier := object{"allowed_addresses": []string{"127.0.0.2", "127.0.0.3", "127.0.0.4"}}
	const first, second, neighbour = "+4930555001", "+4930555002", "+4930555003"
	newNumber(t, s, acme, first, carrier)
	newNumber(t, s, acme, second, carrier)
	newNumber(t, s, other, neighbour, carrier)

	since := time.Now()
	// churn calls a number repeatedly, and cancels each call immediately.
	serial := 0
	churn := func(by *sipPhone, number string, calls int) {
		t.Helper()
		for range calls {
			serial++
			id := fmt.Sprint("churn-", serial)
			by.invite(t, id, number, 1)
			switch got := by.status(t, id, false); got {
			case "180", "200":
				by.cancel(t, id, number, 1)
				if by.status(t, id, true) == "200" { // it was answered meanwhile
					tag := toTagForm.FindStringSubmatch(by.responses[id])[1]
					by.send(t, "ACK", id, number, tag, 1, "")
					by.send(t, "BYE", id, number, tag, 2, "")
				}
			case "486", "503": // 503 on a machine with much else to do
			default:
				t.Fatalf("a call is answered with %s", got)
			}
		}
	}
	kept := func(key string) int {
		t.Helper()
		n, _ := listedCalls(t, s, key, "")
		return n
	}
	most := func(perMinute int) int { return perMinute + int(time.Since(since).Minutes()*float64(perMinute)) + 1 } // the limit refills evenly
	calls := size(30, 300)
	flooder := newPhone(t, "127.0.0.2", port)
	churn(flooder, first, calls)
	if n := kept(acme); n == 0 || n > most(perNumber) {
		t.Errorf("%d calls to a number leave %d rows", calls, n)
	}
	churn(flooder, second, calls)
	if n := kept(acme); n > most(perTenant) {
		t.Errorf("%d calls to a tenant leave %d rows", 2*calls, n)
	}
	churn(flooder, neighbour, calls)
	if n := kept(acme) + kept(other); n > most(perAddress) {
		t.Errorf("%d calls from an address leave %d rows", 3*calls, n)
	}
	caller := newPhone(t, "127.0.0.3", port)
	await(t, "another tenant's call from another address is taken", func() bool {
		before := kept(other)
		churn(caller, neighbour, 1)
		return kept(other) > before
	})
}

// What a trunk wants of encryption holds before anything is kept of a call.
func TestPhoneEncryption(t *testing.T) {
	t.Parallel()
	s, port := phoneServer(t, nil)
	acme := newTenant(t, s, "acme", "*")
	newDesk(t, s, acme)
	phone := newPhone(t, "127.0.0.2", port)
	for n, refused := range []struct{ wanted, offered string }{{"off", "RTP/SAVP"}, {"require", "RTP/AVP"}} {
		number := fmt.Sprint("+493055500", n)
		newNumber(t, s, acme, number, object{"allowed_addresses": []string{"127.0.0.2"}, "media_encryption": refused.wanted})
		body := "v=0\r\no=- 1 1 IN IP4 127.0.0.2\r\ns=-\r\nc=IN IP4 127.0.0.2\r\nt=0 0\r\nm=audio 4000 " + refused.offered + " 0\r\na=rtpmap:0 PCMU/8000\r\n"
		if refused.offered == "RTP/SAVP" {
			body += "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n"
		}
		phone.send(t, "INVITE", refused.wanted, number, "", 1, body, "Contact: <sip:phone@"+phone.contact+">", "Content-Type: application/sdp")
		if got := phone.status(t, refused.wanted, true); got != "488" {
			t.Errorf("an offer of %s to a trunk with encryption %s is answered with %s", refused.offered, refused.wanted, got)
		}
	}
	if n, _ := listedCalls(t, s, acme, ""); n != 0 {
		t.Errorf("%d calls are kept of offers that were refused", n)
	}
}
