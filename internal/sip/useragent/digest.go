package useragent

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/emiago/sipgo/sip"
)

// Credentials answer the challenges of a peer (RFC 7616).
type Credentials struct{ Username, Password string }

// algorithms are the known ones. A session algorithm has the suffix -SESS.
var algorithms = map[string]func() hash.Hash{"": md5.New, "MD5": md5.New, "SHA-256": sha256.New}

// maxChallenges limits how many challenges a request is repeated for.
const maxChallenges = 4

// challenge is one that can be answered.
type challenge struct {
	header                      string // of the answer
	realm, nonce, opaque, spelt string // spelt is the algorithm as the challenge has it
	algorithm, qop              string // qop is auth, auth-int or "" (RFC 2069)
	session, stale, hasOpaque   bool
	username, password          string
}

// authorization is the challenges that a request answers, one of each realm.
type authorization []challenge

// answer adds what a 401 or 407 asks for. It is not ok if nothing in it can be answered, or the credentials were wrong.
func (a authorization) answer(c *Credentials, res *sip.Response) (next authorization, ok bool) {
	if c == nil || len(a) >= maxChallenges {
		return nil, false
	}
	asked, header := "WWW-Authenticate", "Authorization"
	if res.StatusCode == 407 {
		asked, header = "Proxy-Authenticate", "Proxy-Authorization"
	}
	next = slices.Clone(a)
	for _, h := range res.GetHeaders(asked) {
		found, usable := parseChallenge(h.Value())
		if !usable {
			continue
		}
		found.header, found.username, found.password = header, c.Username, c.Password
		at := slices.IndexFunc(next, func(k challenge) bool { return k.realm == found.realm && k.header == header })
		switch {
		case at < 0:
			next, ok = append(next, found), true
		case at < len(a) && found.stale && found.nonce != a[at].nonce:
			next[at], ok = found, true
		}
	}
	return next, ok
}

// headers are those that answer the challenges for a request.
func (a authorization) headers(r *sip.Request) (hs []sip.Header) {
	for _, c := range a {
		hs = append(hs, sip.NewHeader(c.header, c.response(string(r.Method), r.Recipient.String(), r.Body())))
	}
	return hs
}

// parseChallenge reads a challenge. It is not usable if its scheme, algorithm or qop is unknown.
func parseChallenge(text string) (c challenge, usable bool) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !strings.EqualFold(scheme, "Digest") {
		return c, false
	}
	p := digestParams(rest)
	c.realm, c.nonce, c.spelt = p["realm"], p["nonce"], p["algorithm"]
	c.opaque, c.hasOpaque = p["opaque"]
	c.stale = strings.EqualFold(p["stale"], "true")
	c.algorithm, c.session = strings.CutSuffix(strings.ToUpper(c.spelt), "-SESS")
	if _, known := algorithms[c.algorithm]; !known || c.nonce == "" {
		return c, false
	}
	offered, given := p["qop"]
	if !given {
		return c, true
	}
	var options []string
	for o := range strings.SplitSeq(strings.ToLower(offered), ",") {
		options = append(options, strings.TrimSpace(o))
	}
	for _, q := range []string{"auth", "auth-int"} {
		if slices.Contains(options, q) {
			c.qop = q
			return c, true
		}
	}
	return c, false
}

// digestParams reads parameters that are separated by commas; values may be quoted.
func digestParams(text string) map[string]string {
	params := map[string]string{}
	for text = strings.TrimLeft(text, " \t,"); text != ""; text = strings.TrimLeft(text, " \t,") {
		name, rest, found := strings.Cut(text, "=")
		if !found {
			break
		}
		rest = strings.TrimLeft(rest, " \t")
		value := ""
		if strings.HasPrefix(rest, `"`) {
			end := 1
			for end < len(rest) && rest[end] != '"' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(rest))
			value, text = strings.ReplaceAll(rest[1:end], `\`, ""), rest[min(end+1, len(rest)):]
		} else {
			value, text, _ = strings.Cut(rest, ",")
			value = strings.TrimSpace(value)
		}
		params[strings.ToLower(strings.TrimSpace(name))] = value
	}
	return params
}

// response computes the value of the header that answers the challenge.
func (c challenge) response(method, uri string, body []byte) string {
	sum := func(text string) string {
		h := algorithms[c.algorithm]()
		h.Write([]byte(text))
		return hex.EncodeToString(h.Sum(nil))
	}
	const count = "00000001"
	client := rand.Text()[:16]
	first := sum(c.username + ":" + c.realm + ":" + c.password)
	if c.session {
		first = sum(first + ":" + c.nonce + ":" + client)
	}
	second := method + ":" + uri
	if c.qop == "auth-int" {
		second += ":" + sum(string(body))
	}
	digest := sum(first + ":" + c.nonce + ":" + sum(second))
	if c.qop != "" {
		digest = sum(strings.Join([]string{first, c.nonce, count, client, c.qop, sum(second)}, ":"))
	}
	text := fmt.Sprintf(`Digest username="%s", realm="%s", nonce="%s", uri="%s", response="%s"`, quoted(c.username), quoted(c.realm), quoted(c.nonce), uri, digest)
	if c.spelt != "" {
		text += ", algorithm=" + c.spelt
	}
	if c.hasOpaque {
		text += fmt.Sprintf(`, opaque="%s"`, quoted(c.opaque))
	}
	switch {
	case c.qop != "":
		text += fmt.Sprintf(`, qop=%s, cnonce="%s", nc=%s`, c.qop, client, count)
	case c.session:
		text += fmt.Sprintf(`, cnonce="%s"`, client)
	}
	return text
}

// quoted escapes a value for its quotes.
func quoted(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
}
