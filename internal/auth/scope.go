package auth

import (
	"maps"
	"slices"
	"strings"
)

// Scopes are the scopes that operations require, with what they permit.
var Scopes = map[string]string{
	"agents:delete":       "delete agents",
	"agents:read":         "read agents",
	"agents:write":        "create, update and activate agents",
	"analyses:read":       "read analyses",
	"analyses:write":      "create, update and delete analyses",
	"analytics:read":      "read figures of calls",
	"audit:read":          "read the audit log",
	"calls:control":       "say something in a call that runs, give its agent facts, mute it, transfer the caller, listen, and take the call over",
	"calls:read":          "read calls, their transcripts, timelines and recordings, and follow them",
	"calls:write":         "start and end calls",
	"limits:read":         "read the tenant's limits and budgets, and their use",
	"metrics:read":        "read the tenant's series at /metrics",
	"prices:read":         "read prices",
	"prices:write":        "replace the tenant's own prices",
	"prompts:read":        "read and preview prompt templates",
	"prompts:write":       "create, update, import and delete prompt templates",
	"provider-keys:read":  "list provider keys, without the keys",
	"provider-keys:write": "create, check, update and delete provider keys",
	"public-tokens:read":  "list public tokens, without the tokens themselves",
	"public-tokens:write": "create and revoke public tokens, together with calls:write",
	"secrets:read":        "list secrets and signing secrets, without the secrets themselves",
	"secrets:write":       "create, update, rotate and delete secrets and signing secrets",
	"sip:read":            "read trunks and phone numbers",
	"sip:write":           "create, update and delete trunks and phone numbers",
	"sounds:read":         "list and download sounds",
	"sounds:write":        "upload and delete sounds",
	"tools:delete":        "delete tools",
	"tools:read":          "read tools",
	"tools:write":         "create, update, try and delete tools",
	"users:read":          "list users",
	"users:write":         "create, update and delete users",
	"variables:read":      "read variables",
	"variables:write":     "create, update and delete variables",
	"webhooks:read":       "read webhooks and their deliveries",
	"webhooks:write":      "set up and test webhooks, and replay deliveries",
	"workflows:delete":    "delete workflows",
	"workflows:read":      "read workflows",
	"workflows:write":     "create, update and activate workflows",
}

// known reports whether a scope of the right form grants something.
func known(scope string) bool {
	resource, all := strings.CutSuffix(scope, ":*")
	_, listed := Scopes[scope]
	return scope == "*" || listed || aliases[scope] != "" || all && slices.ContainsFunc(knownScopes(), func(s string) bool { return strings.HasPrefix(s, resource+":") })
}

func knownScopes() []string { return slices.Sorted(maps.Keys(Scopes)) }
