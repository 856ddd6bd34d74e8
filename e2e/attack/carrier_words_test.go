package attack

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// answerInvites is a carrier that answers each INVITE with this status, with the canary as the reason phrase, in its headers and in its
// body, until its socket is closed.
func answerInvites(carrier *net.UDPConn, status int) {
	buffer := make([]byte, 64<<10)
	for {
		n, from, err := carrier.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return
		}
		request := string(buffer[:n])
		if !strings.HasPrefix(request, "INVITE ") {
			continue
		}
		answer := []string{fmt.Sprintf("SIP/2.0 %d %s", status, canary)}
		for line := range strings.SplitSeq(request, "\r\n") {
			name, value, _ := strings.Cut(line, ":")
			switch strings.ToLower(name) {
			case "via", "from", "call-id", "cseq":
				answer = append(answer, line)
			case "to":
				answer = append(answer, "To:"+value+";tag="+canary)
			}
		}
		body := "v=0\r\no=" + canary + "\r\nm=" + canary + "\r\n"
		answer = append(answer, "Contact: <sip:"+canary+"@"+carrier.LocalAddr().String()+">", `Warning: 399 example.com "`+canary+`"`, `Reason: Q.850;cause=16;text="`+canary+`"`,
			"Content-Type: application/sdp", fmt.Sprintf("Content-Length: %d", len(body)), "", body)
		_, _ = carrier.WriteToUDPAddrPort([]byte(strings.Join(answer, "\r\n")), from)
	}
}

// What a carrier writes into its answers, a reason phrase or a description without sense, is neither in the log nor in the error log.
func TestCarriersWordsAreNotLogged(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, 400, 403, 488, 603} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			carrier := bound(t, "127.0.0.1", 0)
			go answerInvites(carrier, status)
			s := start(t, map[string]string{"PARLEY_SIP_TRUNK_ADDRESS": carrier.LocalAddr().String(), "PARLEY_RING_TIMEOUT": "5s", "PARLEY_LOG_LEVEL": "debug"})
			acme := newTenant(t, s, "acme", "*")
			newDesk(t, s, acme)
			id := post(t, s, acme, "/api/v1/calls", object{"workflow_slug": "desk", "call_type": "sip", "phone_number": "+4930123456"})
			await(t, "the call fails", func() bool {
				_, text := send(t, s, acme, http.MethodGet, "/api/v1/calls/"+id, "")
				return strings.Contains(string(text), `"failed"`)
			})
			items := errorMessages(t, s, acme)
			if items == "" {
				t.Error("the error log is empty")
			}
			for line := range strings.Lines(items + "\n" + s.Log.String()) {
				if strings.Contains(line, canary) {
					t.Errorf("the carrier's words: %.300s", line)
				}
			}
		})
	}
}
