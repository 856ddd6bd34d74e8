package negotiation

import (
	"errors"
	"strings"
	"testing"
)

func TestFindsTheDescription(t *testing.T) {
	lines := func(s ...string) string { return strings.Join(s, "\r\n") }
	for name, c := range map[string]struct {
		kind, body, want string
		status           int
	}{
		"alone":     {"application/sdp", "v=0", "v=0", 0},
		"no type":   {"", "v=0", "v=0", 0},
		"no body":   {"application/sdp", "", "", 0},
		"white":     {"application/sdp", "\r\n", "", 0},
		"parameter": {"Application/SDP; charset=utf-8", "v=0", "v=0", 0},
		"ISUP": {"multipart/mixed;boundary=unique", lines("--unique", "Content-Type: application/SDP; charset=ISO-10646", "", "v=0", "--unique",
			"Content-Type: application/ISUP; version=nxv3", "Content-Disposition: signal; handling=optional", "", "\x01\x11", "--unique--", ""), "v=0", 0},
		"location first": {`multipart/mixed; boundary="a b"`, lines("--a b", "Content-Type: application/pidf+xml", "", "<presence/>", "--a b", "Content-Type: application/sdp", "", "v=0", "--a b--"), "v=0", 0},
		"line feeds":     {"multipart/mixed;boundary=b", "--b\nContent-Type: application/sdp\n\nv=0\n--b--\n", "v=0", 0},
		"base64":         {"multipart/mixed;boundary=b", lines("--b", "Content-Type: application/sdp", "Content-Transfer-Encoding: base64", "", "dj0w", "--b--"), "v=0", 0},
		"nested": {"multipart/mixed;boundary=b", lines("--b", "Content-Type: multipart/alternative;boundary=c", "", "--c", "Content-Type: application/sdp", "", "v=0", "--c--",
			"--b--"), "v=0", 0},
		"none":        {"multipart/mixed;boundary=b", lines("--b", "Content-Type: text/plain", "", "x", "--b--"), "", 0},
		"other":       {"text/plain", "hello", "", 415},
		"no boundary": {"multipart/mixed", "hello", "", 400},
		"cut off":     {"multipart/mixed;boundary=b", "--b\r\nContent-Type: te", "", 0},
		"many parts":  {"multipart/mixed;boundary=b", strings.Repeat("--b\r\nContent-Type: text/plain\r\n\r\nx\r\n", 17) + "--b--", "", 400},
	} {
		found, err := Find(c.kind, []byte(c.body))
		var r *Refusal
		switch {
		case c.status == 0 && (err != nil || string(found) != c.want):
			t.Errorf("%s: %q, %v", name, found, err)
		case c.status != 0 && (!errors.As(err, &r) || r.Status != c.status):
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}
