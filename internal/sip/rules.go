package sip

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"parley/internal/fault"
)

// Limits, in characters for texts.
const (
	MaxName        = 255
	MaxCredential  = 255
	MaxHeaders     = 50
	MaxHeaderValue = 1024 // bytes
	MaxAddresses   = 50
	// MinAddressBits is the minimum prefix length of allowed addresses: only the operator may open a number to
	// everybody.
	MinAddressBits = 16
	// MinIPv6AddressBits is the same for IPv6: providers have networks of that size.
	MinIPv6AddressBits = 32
)

// NumberPattern is a regular expression for E.164 numbers.
const NumberPattern = `^\+[1-9][0-9]{6,14}$`

var (
	numberForm = regexp.MustCompile(NumberPattern)
	hostForm   = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.?$`) // RFC 1123
)

const numberHint = "must be an E.164 number such as +4930123456"

// reservedHeaders are the headers that a call's own requests use (RFC 3261).
var reservedHeaders = []string{
	"Via", "From", "To", "Call-Id", "Cseq", "Contact", "Max-Forwards", "Route", "Record-Route", "Content-Length", "Content-Type",
	"Authorization", "Proxy-Authorization", "Allow", "Supported", "Require", "User-Agent",
	"V", "F", "T", "I", "M", "L", "C", "K", // compact forms
}

func (d *TrunkDraft) validate() (faults []fault.Detail) {
	d.AllowedAddresses, d.HeadersIn, d.HeadersOut = slices.Clone(d.AllowedAddresses), slices.Clone(d.HeadersIn), slices.Clone(d.HeadersOut)
	addFault := func(field, format string, args ...any) {
		faults = append(faults, fault.Detail{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	text := func(field, value string, most int) {
		switch {
		case utf8.RuneCountInString(value) > most:
			addFault(field, "must have at most %d characters", most)
		case strings.ContainsFunc(value, unicode.IsControl):
			addFault(field, "must not hold control characters")
		}
	}
	if strings.TrimSpace(d.Name) == "" {
		addFault("name", "is required")
	}
	text("name", d.Name, MaxName)
	switch {
	case d.Address == "":
		addFault("address", "is required")
	case !validAddress(d.Address):
		addFault("address", "must be host or host:port")
	}
	if d.Transport == "" {
		d.Transport = UDP
	}
	if !slices.Contains([]Transport{UDP, TCP, TLS}, d.Transport) {
		addFault("transport", "must be one of udp, tcp, tls")
	}
	if d.Username != nil {
		text("username", *d.Username, MaxCredential)
	}
	if d.Password != nil {
		text("password", *d.Password, MaxCredential)
	}
	faults = append(faults, d.CallSettings.validate()...)
	if d.CallerID != nil {
		number, problem := readNumber(*d.CallerID, d.country())
		switch {
		case problem != "":
			addFault("caller_id", "%s", problem)
		case d.Privacy == PrivacyID && d.Identity == IdentityFrom:
			addFault("privacy", "needs the identity p_asserted or p_preferred: From is anonymous, and would not have the caller_id")
		default:
			d.CallerID = &number
		}
	}
	if d.MediaEncryption == "" {
		d.MediaEncryption = EncryptionOff
	}
	if !slices.Contains([]MediaEncryption{EncryptionOff, EncryptionAllow, EncryptionRequire}, d.MediaEncryption) {
		addFault("media_encryption", "must be one of off, allow, require")
	}
	if d.AllowedAddresses == nil {
		d.AllowedAddresses = []string{}
	}
	if len(d.AllowedAddresses) > MaxAddresses {
		addFault("allowed_addresses", "must have at most %d items", MaxAddresses)
	} else {
		for i, given := range d.AllowedAddresses {
			if n, err := parseNetwork(given); err != nil {
				addFault(fmt.Sprintf("allowed_addresses[%d]", i), "%v", err)
			} else {
				d.AllowedAddresses[i] = n.String()
			}
		}
	}
	if d.Headers == nil {
		d.Headers = map[string]string{}
	}
	if len(d.Headers) > MaxHeaders {
		addFault("headers", "must have at most %d entries", MaxHeaders)
		return faults
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch value := d.Headers[name]; {
		case !httpguts.ValidHeaderFieldName(name):
			addFault("headers."+name, "is not a header name")
		case slices.Contains(reservedHeaders, canonical):
			addFault("headers."+name, "is reserved")
		case seen[canonical]:
			addFault("headers."+name, "is given twice")
		case len(value) > MaxHeaderValue:
			addFault("headers."+name, "must have at most %d bytes", MaxHeaderValue)
		case strings.ContainsFunc(value, unicode.IsControl):
			addFault("headers."+name, "must not hold control characters")
		}
		seen[canonical] = true
	}
	return faults
}

// parseNetwork parses an IP address or network.
func parseNetwork(given string) (n netip.Prefix, err error) {
	if address, wrong := netip.ParseAddr(given); wrong == nil {
		n = netip.PrefixFrom(address, address.BitLen())
	} else if n, wrong = netip.ParsePrefix(given); wrong != nil {
		return n, errors.New("must be an IP address or network, such as 203.0.113.0/24")
	}
	least := MinAddressBits
	if n.Addr().Is6() {
		least = MinIPv6AddressBits
	}
	switch {
	case n.Addr().Is4In6() || n.Addr().Zone() != "":
		return n, errors.New("must be an IPv4 or IPv6 address or network, such as 203.0.113.0/24")
	case n.Bits() < least:
		return n, fmt.Errorf("must be a network of at most /%d: only the operator opens a number to everybody", least)
	}
	return n.Masked(), nil
}

// Check returns all errors in a draft, and fills in defaults.
func (d *TrunkDraft) Check() error { return fault.Invalid(d.validate()) }

// validAddress accepts a name, an IPv4 address or a bracketed IPv6 address, with an optional port.
func validAddress(address string) bool {
	host := address
	if at := strings.LastIndexByte(address, ':'); at >= 0 && !strings.HasSuffix(address, "]") {
		var port string
		host, port = address[:at], address[at+1:]
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 || strconv.Itoa(n) != port {
			return false
		}
	}
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		inner, closed := strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		return closed && err == nil && ip.Is6() && ip.Zone() == ""
	}
	return len(host) <= 253 && hostForm.MatchString(host)
}
