package useragent

import (
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
)

// TestDigests compares answers to challenges with another implementation.
func TestDigests(t *testing.T) {
	for _, text := range []string{
		`Digest realm="r", nonce="n"`,
		`Digest realm="r, \"x\"", nonce="n", opaque="", algorithm=MD5`,
		`DIGEST realm="r",nonce="n",qop="auth"`,
		`Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth,auth-int"`,
		`Digest realm="r", nonce="n", qop="auth-int"`,
	} {
		c, usable := parseChallenge(text)
		if !usable {
			t.Errorf("%s is not usable", text)
			continue
		}
		c.username, c.password = `us"er`, "secret"
		given, err := digest.ParseCredentials(c.response("INVITE", "sip:200@example.com", []byte("body")))
		if err != nil {
			t.Fatal(err)
		}
		var qop []string
		if c.qop != "" {
			qop = []string{c.qop}
		}
		algorithm := given.Algorithm
		if algorithm == "" {
			algorithm = "MD5"
		}
		body := strings.NewReader("body")
		want, err := digest.Digest(&digest.Challenge{Realm: c.realm, Nonce: c.nonce, Algorithm: algorithm, QOP: qop}, digest.Options{
			Method: "INVITE", URI: "sip:200@example.com", Username: c.username, Password: c.password, Cnonce: given.Cnonce, Count: max(given.Nc, 1),
			GetBody: readCloser(body),
		})
		if err != nil {
			t.Fatal(err)
		}
		if given.Response != want.Response || given.URI != "sip:200@example.com" {
			t.Errorf("%s is answered with %+v, not %+v", text, given, want)
		}
	}
}

func TestChallengesThatAreSkipped(t *testing.T) {
	res := sip.NewResponse(407, "")
	for _, text := range []string{`Basic realm="r"`, `Digest realm="r", nonce="a", algorithm=AKAv1-MD5`, `Digest realm="r", nonce="b", qop="auth-conf"`, `Digest realm="r"`, `Negotiate`, `"`} {
		res.AppendHeader(sip.NewHeader("Proxy-Authenticate", text))
	}
	r := sip.NewRequest(sip.INVITE, sip.Uri{Host: "x"})
	if a, ok := authorization(nil).answer(&Credentials{"u", "p"}, res); ok {
		t.Errorf("answered: %+v", a)
	}
	res.AppendHeader(sip.NewHeader("Proxy-Authenticate", `digest realm="r", nonce="c", algorithm=md5-sess, qop="auth"`))
	first, ok := authorization(nil).answer(&Credentials{"u", "p"}, res)
	if !ok || first[0].nonce != "c" {
		t.Fatalf("%+v", first)
	}
	if _, ok := first.answer(&Credentials{"u", "p"}, res); ok {
		t.Error("wrong credentials are repeated")
	}
	stale := sip.NewResponse(407, "")
	stale.AppendHeader(sip.NewHeader("Proxy-Authenticate", `Digest realm="r", nonce="d", stale=TRUE`))
	if second, ok := first.answer(&Credentials{"u", "p"}, stale); !ok || len(second) != 1 || second[0].nonce != "d" {
		t.Errorf("a stale nonce: %+v", second)
	}
	server := sip.NewResponse(401, "")
	server.AppendHeader(sip.NewHeader("WWW-Authenticate", `Digest realm="r", nonce="e"`))
	if both, ok := first.answer(&Credentials{"u", "p"}, server); !ok || len(both.headers(r)) != 2 {
		t.Errorf("proxy and server: %+v", both)
	}
	if _, ok := authorization(nil).answer(nil, server); ok {
		t.Error("answered without credentials")
	}
}
