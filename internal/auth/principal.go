package auth

import "strings"

// Principal is the authenticated user session or API key of a request.
type Principal struct {
	TenantID string
	UserID   string   // "" for an API key
	KeyID    string   // "" for a session
	Scopes   []string // as granted
	Livemode bool     // false for a test key
	Session  bool
	// SessionID identifies the sign-in of a session's tokens; "" if unknown.
	SessionID string
	// RateLimit is in requests a minute, 0 for none.
	RateLimit int
}

// aliases are names for scopes that integrators use.
var aliases = map[string]string{
	"calls:create":   "calls:write",
	"calls:initiate": "calls:write",
}

// Can reports whether the principal has a scope, such as agents:read: by name, by an alias, by resource:* or by *.
func (p Principal) Can(scope string) bool {
	return holds(p.Scopes, scope)
}

// CanGrant reports whether the principal has everything that a scope grants. resource:* requires itself or *, and *
// requires *.
func (p Principal) CanGrant(scope string) bool {
	if scope == "*" || strings.HasSuffix(scope, ":*") {
		for _, s := range p.Scopes {
			if s == "*" || s == scope {
				return true
			}
		}
		return false
	}
	if meant, known := aliases[scope]; known {
		scope = meant
	}
	return p.Can(scope)
}

func holds(scopes []string, scope string) bool {
	resource, _, _ := strings.Cut(scope, ":")
	for _, s := range scopes {
		if s == "*" || s == scope || s == resource+":*" || aliases[s] == scope {
			return true
		}
	}
	return false
}
