package useragent

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
)

// Methods that are answered, as Allow says.
var methods = []string{"INVITE", "ACK", "CANCEL", "BYE", "OPTIONS", "PRACK", "UPDATE", "INFO", "REFER", "NOTIFY"}

// otherMethods are known, but belong to servers of other kinds: 405. Methods in neither list are answered with 501.
var otherMethods = []string{"REGISTER", "SUBSCRIBE", "PUBLISH", "MESSAGE"}

// extensions are those that a peer may require.
var extensions = []string{"100rel", "timer", "replaces", "norefersub"}

var (
	allow     = strings.Join(methods, ", ")
	supported = strings.Join(extensions, ", ")
)

// maxHeaders limits the header fields of a message.
const maxHeaders = 200

// value returns the first value of a header; "" without one.
func value(m interface{ GetHeader(string) sip.Header }, name string) string {
	if h := m.GetHeader(name); h != nil {
		return strings.TrimSpace(h.Value())
	}
	return ""
}

// tokens returns the comma-separated values of all headers of a name.
func tokens(m sip.Message, name string) (all []string) {
	for _, h := range m.GetHeaders(name) {
		for t := range strings.SplitSeq(h.Value(), ",") {
			if t = strings.TrimSpace(t); t != "" {
				all = append(all, t)
			}
		}
	}
	return all
}

// lists reports whether a header of a name has a token.
func lists(m sip.Message, name, token string) bool {
	for _, t := range tokens(m, name) {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}

// unsupported returns the extensions that a request requires and this side lacks.
func unsupported(r *sip.Request) (missing []string) {
next:
	for _, t := range tokens(r, "Require") {
		for _, known := range extensions {
			if strings.EqualFold(t, known) {
				continue next
			}
		}
		missing = append(missing, t)
	}
	return missing
}

// tag returns the tag of a From or To header; "" without one.
func tag(p sip.HeaderParams) string {
	for _, kv := range p {
		if strings.EqualFold(kv.K, "tag") {
			return kv.V
		}
	}
	return ""
}

// splitParams splits a header's value at its parameters; names are in lower case, values without quotes.
func splitParams(text string) (first string, params map[string]string) {
	params = map[string]string{}
	first, rest, _ := strings.Cut(text, ";")
	for p := range strings.SplitSeq(rest, ";") {
		name, v, _ := strings.Cut(p, "=")
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			params[name] = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return strings.TrimSpace(first), params
}

// seconds reads a header of seconds with parameters, such as Session-Expires.
func seconds(text string) (d time.Duration, params map[string]string, ok bool) {
	first, params := splitParams(text)
	n, err := strconv.ParseUint(first, 10, 31)
	return time.Duration(n) * time.Second, params, err == nil
}

// Reason is why a call ended, for the Reason header (RFC 3326). As the cause of a context that ends a Dial, it is sent in the
// CANCEL.
type Reason struct {
	Protocol string // SIP or Q.850
	Cause    int
	Text     string
}

func (r Reason) Error() string { return fmt.Sprintf("%s cause %d %s", r.Protocol, r.Cause, r.Text) }

func (r Reason) header() sip.Header {
	text := fmt.Sprintf("%s;cause=%d", r.Protocol, r.Cause)
	if r.Text != "" {
		text += fmt.Sprintf(";text=%q", r.Text)
	}
	return sip.NewHeader("Reason", text)
}

// reasonOf reads a message's Reason header.
func reasonOf(m sip.Message) (r Reason) {
	hs := m.GetHeaders("Reason")
	if len(hs) == 0 {
		return r
	}
	protocol, params := splitParams(hs[0].Value())
	cause, _ := strconv.Atoi(params["cause"])
	return Reason{protocol, cause, params["text"]}
}

// uriAddress returns the address that a URI names, if it is not a host name.
func uriAddress(u sip.Uri, transport string) (at netip.AddrPort, ok bool) {
	address, err := netip.ParseAddr(strings.Trim(u.Host, "[]"))
	if err != nil || address.Zone() != "" || u.Port < 0 || u.Port > 65535 {
		return at, false
	}
	port := uint16(u.Port)
	if port == 0 {
		port = 5060
		if transport == TLS {
			port = 5061
		}
	}
	return netip.AddrPortFrom(address.Unmap(), port), true
}

// User returns whom a URI names: the user part of sip and sips, the number of tel without its parameters.
func User(u sip.Uri) string {
	if u.Scheme != "tel" {
		return u.User
	}
	number, _, _ := strings.Cut(u.Raw(), ";")
	return number
}

// bracketed writes an address as the host of a URI.
func bracketed(a netip.Addr) string {
	if a.Is6() {
		return "[" + a.String() + "]"
	}
	return a.String()
}

// parseAddress reads a name-addr or addr-spec, such as Refer-To has.
func parseAddress(text string) (u sip.Uri, err error) {
	_, err = sip.ParseAddressValue(strings.TrimSpace(text), &u, nil)
	return u, err
}

// contactsOf returns the URIs of a message's Contact headers.
func contactsOf(m sip.Message) (uris []sip.Uri) {
	for _, h := range m.GetHeaders("Contact") {
		if c, ok := h.(*sip.ContactHeader); ok && !c.Address.Wildcard && c.Address.Host != "" {
			uris = append(uris, c.Address)
		}
	}
	return uris
}

// recordRoute returns a message's Record-Route URIs in its order.
func recordRoute(m sip.Message) (uris []sip.Uri) {
	for _, h := range m.GetHeaders("Record-Route") {
		if r, ok := h.(*sip.RecordRouteHeader); ok {
			uris = append(uris, r.Address)
		}
	}
	return uris
}

// contentType returns a message's, in lower case, without parameters.
func contentType(m interface{ GetHeader(string) sip.Header }) string {
	kind, _, _ := strings.Cut(strings.ToLower(value(m, "Content-Type")), ";")
	return strings.TrimSpace(kind)
}

// phrases are the reason phrases of the statuses that are sent (RFC 3261 21 and extensions).
var phrases = map[int]string{
	100: "Trying", 180: "Ringing", 181: "Call Is Being Forwarded", 182: "Queued", 183: "Session Progress", 200: "OK", 202: "Accepted",
	302: "Moved Temporarily", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
	406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 410: "Gone", 413: "Request Entity Too Large",
	415: "Unsupported Media Type", 416: "Unsupported URI Scheme", 420: "Bad Extension", 421: "Extension Required", 422: "Session Interval Too Small",
	423: "Interval Too Brief", 429: "Provide Referrer Identity", 480: "Temporarily Unavailable", 481: "Call/Transaction Does Not Exist",
	482: "Loop Detected", 483: "Too Many Hops", 484: "Address Incomplete", 486: "Busy Here", 487: "Request Terminated", 488: "Not Acceptable Here",
	489: "Bad Event", 491: "Request Pending", 494: "Security Agreement Required", 500: "Server Internal Error", 501: "Not Implemented",
	503: "Service Unavailable", 504: "Server Time-out", 505: "Version Not Supported", 513: "Message Too Large", 600: "Busy Everywhere", 603: "Decline",
	604: "Does Not Exist Anywhere", 606: "Not Acceptable", 607: "Unwanted", 608: "Rejected",
}

// classes are the phrases of statuses without one of their own.
var classes = map[int]string{1: "Progress", 2: "OK", 3: "Redirection", 4: "Request Failure", 5: "Server Failure", 6: "Global Failure"}

// Phrase returns the reason phrase of a status.
func Phrase(status int) string {
	if p := phrases[status]; p != "" {
		return p
	}
	return classes[status/100]
}
