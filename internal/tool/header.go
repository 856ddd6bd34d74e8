package tool

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"parley/internal/fault"
	"parley/internal/netguard"
	"parley/internal/seal"
	"parley/internal/template"
)

// Header values that hold more than references and the name of a scheme are stored sealed, also in the plans of calls. A sealed value
// is sealedMark, base64, and the references of the text, each after a space, so that what a tool refers to can be read without opening
// it.
const sealedMark = "sealed:v1:"

// schemes are what may stand beside references in a header value that is not sealed.
var schemes = []string{"", "basic", "bearer", "token"}

// isStatic reports whether a header value holds text that may be a credential.
func isStatic(value string) bool {
	return !slices.Contains(schemes, strings.ToLower(strings.TrimSpace(braces.ReplaceAllString(value, ""))))
}

func isSealed(value string) bool { return strings.HasPrefix(value, sealedMark) }

// headerPlace is where the header values of a tool are sealed for.
func headerPlace(tenantID, tool string) seal.Place {
	return seal.Place{Table: "tools.headers", Row: tool, Tenant: tenantID}
}

// sealHeader seals a value unless it is not static.
func sealHeader(sealer *seal.Sealer, at seal.Place, value string) string {
	if !isStatic(value) {
		return value
	}
	sealed := sealedMark + base64.RawStdEncoding.EncodeToString(sealer.Seal([]byte(value), at))
	for _, path := range template.Paths(value) {
		sealed += " {{" + path + "}}"
	}
	return sealed
}

// openHeader opens a sealed value; others it returns as they are.
func openHeader(sealer *seal.Sealer, at seal.Place, value string) (string, error) {
	if !isSealed(value) {
		return value, nil
	}
	encoded, _, _ := strings.Cut(strings.TrimPrefix(value, sealedMark), " ")
	sealed, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil || sealer == nil {
		return "", seal.ErrOpen
	}
	plain, err := sealer.Open(sealed, at)
	return string(plain), err
}

// Masked returns the configuration with seal.Masked in place of header values that are stored sealed.
func (c Config) Masked() Config {
	return c.withHeaders(func(_ site, value string) string {
		if isSealed(value) || isStatic(value) {
			return seal.Masked
		}
		return value
	})
}

// SealHeaders returns the configuration of a tool with its static header values sealed. Sealed ones stay.
func (c Config) SealHeaders(sealer *seal.Sealer, tenantID, tool string) Config {
	return c.sealHeaders(sealer, headerPlace(tenantID, tool))
}

func (c Config) sealHeaders(sealer *seal.Sealer, at seal.Place) Config {
	return c.withHeaders(func(_ site, value string) string {
		if isSealed(value) {
			if _, err := openHeader(sealer, at, value); err == nil {
				return value
			}
		}
		return sealHeader(sealer, at, value)
	})
}

// site is where a header is: the action's place in the configuration, its request, and the header's name.
type site struct {
	path   string // such as config.actions[0].on_success[1]
	method string
	url    string
	name   string
}

// reaches reports whether a header goes to the same server, and has the same name in any case, as another.
func (s site) reaches(other site) bool {
	return textproto.CanonicalMIMEHeaderKey(s.name) == textproto.CanonicalMIMEHeaderKey(other.name) &&
		netguard.Origin(braces.ReplaceAllString(s.url, "x")) == netguard.Origin(braces.ReplaceAllString(other.url, "x"))
}

// withHeaders returns a copy with each header value replaced.
func (c Config) withHeaders(replace func(at site, value string) string) Config {
	var walk func(path string, actions []Action) []Action
	walk = func(path string, actions []Action) []Action {
		copied := slices.Clone(actions)
		for n := range copied {
			a, at := &copied[n], fmt.Sprintf("%s[%d]", path, n)
			if a.Type == TransferCall { // SIP headers, which are no credentials
				continue
			}
			a.Headers = maps.Clone(a.Headers)
			for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
				a.Headers[name] = replace(site{at, a.method(), a.URL, name}, a.Headers[name])
			}
			a.OnSuccess, a.OnFailure = walk(at+".on_success", a.OnSuccess), walk(at+".on_failure", a.OnFailure)
		}
		return copied
	}
	c.Actions = walk("config.actions", c.Actions)
	return c
}

// storedHeader is a sealed value of the configuration that is replaced.
type storedHeader struct {
	site
	sealed string
}

// sealNew returns a configuration to store in place of a stored one: static header values are sealed, and masked ones are the stored ones
// of the same header at the same server. Where several are stored, that of the same action counts, or of the same request, or all must be
// the same. What is masked without a stored value is a fault.
func (c Config) sealNew(sealer *seal.Sealer, at seal.Place, stored Config) (Config, []fault.Detail) {
	var known []storedHeader
	stored.sealHeaders(sealer, at).withHeaders(func(s site, value string) string {
		if isSealed(value) {
			known = append(known, storedHeader{s, value})
		}
		return value
	})
	var faults []fault.Detail
	sealed := c.withHeaders(func(s site, value string) string {
		if value != seal.Masked {
			return sealHeader(sealer, at, value)
		}
		kept, ok := keptHeader(sealer, at, s, known)
		if !ok {
			faults = append(faults, fault.Detail{Field: s.path + ".headers." + s.name,
				Message: "is masked, and no value is stored for this header and the host of url, or several are: give the value itself"})
		}
		return kept
	})
	return sealed, faults
}

// keptHeader returns the stored value that a masked one stands for.
func keptHeader(sealer *seal.Sealer, at seal.Place, s site, known []storedHeader) (sealed string, ok bool) {
	var there []storedHeader
	for _, other := range known {
		if s.reaches(other.site) {
			there = append(there, other)
		}
	}
	for _, same := range []func(other site) bool{
		func(other site) bool { return s.path == other.path && s.url == other.url },
		func(other site) bool { return s.method == other.method && s.url == other.url },
		func(other site) bool { return s.path == other.path },
	} {
		if n := slices.IndexFunc(there, func(other storedHeader) bool { return same(other.site) }); n >= 0 {
			return there[n].sealed, true
		}
	}
	for n, other := range there {
		plain, err := openHeader(sealer, at, other.sealed)
		first, firstErr := openHeader(sealer, at, there[0].sealed)
		if n > 0 && (err != nil || firstErr != nil || plain != first) {
			return "", false
		}
	}
	if len(there) == 0 {
		return "", false
	}
	return there[0].sealed, true
}
