package sip

import (
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"parley/internal/fault"
)

// CallSettings are a trunk's settings of what its INVITEs say, and of how those of others are read.
type CallSettings struct {
	FromDomain *string  `bun:"from_domain" json:"from_domain"` // host of From and of the identity headers
	Identity   Identity `bun:"identity" json:"identity"`       // default IdentityFrom
	Privacy    Privacy  `bun:"privacy" json:"privacy"`         // default PrivacyNone
	// DefaultCountry is the country (ISO 3166) in which numbers without a country code are dialled.
	DefaultCountry *string `bun:"default_country" json:"default_country"`
	// AllowURIs allows outbound calls to extensions, and to SIP URIs at the trunk.
	AllowURIs bool `bun:"allow_uris" json:"allow_uris"`
	// HeadersIn are the headers of inbound INVITEs that calls have as variables, HeadersOut those that a dispatch may add to an
	// outbound one. Names are in their canonical form.
	HeadersIn  []string `bun:"headers_in,type:jsonb" json:"headers_in"`
	HeadersOut []string `bun:"headers_out,type:jsonb" json:"headers_out"`
}

// Identity is where an INVITE has the caller id.
type Identity string

// The identities.
const (
	IdentityFrom      Identity = "from"
	IdentityAsserted  Identity = "p_asserted"  // P-Asserted-Identity (RFC 3325); From has the account
	IdentityPreferred Identity = "p_preferred" // P-Preferred-Identity (RFC 3325); likewise
)

// Privacy is what a trunk is asked to withhold from the callee (RFC 3323).
type Privacy string

// The privacies.
const (
	PrivacyNone Privacy = "none"
	PrivacyID   Privacy = "id" // the caller id: From is anonymous
)

// MaxCallHeaders limits headers_in, headers_out, and the headers of one dispatch.
const MaxCallHeaders = 20

// secretHeaders hold credentials, which no variable shows.
var secretHeaders = []string{"Authorization", "Proxy-Authorization"}

// dialogueHeaders are headers of the protocol besides reservedHeaders, which a dispatch may not set.
var dialogueHeaders = []string{
	"P-Asserted-Identity", "P-Preferred-Identity", "Privacy", "Identity", "Proxy-Require", "Proxy-Authenticate", "Www-Authenticate", "Authentication-Info",
	"Replaces", "Refer-To", "Referred-By", "Refer-Sub", "Event", "Subscription-State", "Session-Expires", "Min-Se", "Rack", "Rseq", "Expires", "Timestamp",
	"Path", "Service-Route", "Accept", "Accept-Encoding", "Unsupported", "Warning", "Retry-After", "Server", "Date", "Mime-Version",
}

// country returns the default country; "" for none.
func (s CallSettings) country() string { return valueOrEmpty(s.DefaultCountry) }

// validate returns the errors in settings, fills in defaults, and converts names to their canonical form.
func (s *CallSettings) validate() (faults []fault.Detail) {
	addFault := func(field, format string, args ...any) {
		faults = append(faults, fault.Detail{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if s.FromDomain != nil && (len(*s.FromDomain) > 253 || !hostForm.MatchString(*s.FromDomain)) {
		addFault("from_domain", "must be a host name or an IPv4 address, without a port")
	}
	if s.Identity == "" {
		s.Identity = IdentityFrom
	}
	if !slices.Contains([]Identity{IdentityFrom, IdentityAsserted, IdentityPreferred}, s.Identity) {
		addFault("identity", "must be one of from, p_asserted, p_preferred")
	}
	if s.Privacy == "" {
		s.Privacy = PrivacyNone
	}
	if !slices.Contains([]Privacy{PrivacyNone, PrivacyID}, s.Privacy) {
		addFault("privacy", "must be one of none, id")
	}
	if s.DefaultCountry != nil {
		country := strings.ToUpper(*s.DefaultCountry)
		if !isCountry(country) {
			addFault("default_country", "must be a country of ISO 3166 in two letters, such as US")
		}
		s.DefaultCountry = &country
	}
	for _, list := range []struct {
		field   string
		names   *[]string
		refused func(name string) bool
	}{
		{"headers_in", &s.HeadersIn, func(name string) bool { return slices.Contains(secretHeaders, name) }},
		{"headers_out", &s.HeadersOut, isReserved},
	} {
		if *list.names == nil {
			*list.names = []string{}
		}
		if len(*list.names) > MaxCallHeaders {
			addFault(list.field, "must have at most %d items", MaxCallHeaders)
			continue
		}
		seen := map[string]bool{}
		for i, name := range *list.names {
			canonical := textproto.CanonicalMIMEHeaderKey(name)
			field, variable := fmt.Sprintf("%s[%d]", list.field, i), headerVariable(name)
			switch {
			case !validHeaderName(name):
				addFault(field, "must be the name of a header: letters, digits, - and _, at most %d characters", maxHeaderName)
			case list.refused(canonical):
				addFault(field, "is reserved")
			case seen[variable]:
				addFault(field, "is given twice")
			}
			seen[variable], (*list.names)[i] = true, canonical
		}
	}
	return faults
}

// maxHeaderName limits the names of headers that trunks allow, in characters.
const maxHeaderName = 64

// validHeaderName reports whether a name is that of a header, in full, and makes a template variable.
func validHeaderName(name string) bool {
	return len(name) > 1 && len(name) <= maxHeaderName && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// isReserved reports whether a header, by its canonical name, belongs to the protocol.
func isReserved(name string) bool {
	return len(name) == 1 || strings.HasPrefix(name, "Content-") || slices.Contains(reservedHeaders, name) || slices.Contains(dialogueHeaders, name)
}

// headerVariable returns the name under user.sip of a header's variable: in lower case, with _ for -.
func headerVariable(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}

// CheckHeaders returns the errors in the headers of a dispatch.
func (s CallSettings) CheckHeaders(headers map[string]string) (faults []fault.Detail) {
	addFault := func(name, format string, args ...any) {
		faults = append(faults, fault.Detail{Field: "sip_headers" + name, Message: fmt.Sprintf(format, args...)})
	}
	if len(headers) > MaxCallHeaders {
		addFault("", "must have at most %d entries", MaxCallHeaders)
		return faults
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		canonical, value := textproto.CanonicalMIMEHeaderKey(name), headers[name]
		switch {
		case isReserved(canonical):
			addFault("."+name, "is reserved: SIP itself needs the header")
		case !slices.Contains(s.HeadersOut, canonical):
			addFault("."+name, "is not in headers_out of the trunk")
		case seen[canonical]:
			addFault("."+name, "is given twice")
		case len(value) > MaxHeaderValue:
			addFault("."+name, "must have at most %d bytes", MaxHeaderValue)
		case !httpguts.ValidHeaderFieldValue(value) || strings.Contains(value, "\t"):
			addFault("."+name, "must not hold control characters")
		}
		seen[canonical] = true
	}
	return faults
}
