// Package mcpclient uses servers of the Model Context Protocol: it lists the tools of a server, and calls them in sessions, one for
// each call.
package mcpclient

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"parley/internal/fault"
	"parley/internal/template"
)

// Limits of the servers of an agent.
const (
	MaxServers     = 5
	MaxTools       = 50
	MaxHeaders     = 10
	MaxURL         = 2048
	MaxHeader      = 1000
	MinTimeout     = 100
	MaxTimeout     = 60_000
	defaultTimeout = 5 * time.Second
	maxListing     = 128 << 10 // bytes of a server's tools, as JSON
	maxParameters  = 16 << 10  // bytes of one tool's parameters
	maxDescription = 2000      // characters
)

// ToolServer is a server of tools for an agent. The tags beside json describe the fields in the API's description.
type ToolServer struct {
	URL     string            `json:"url" minLength:"1" maxLength:"2048" doc:"URL of the MCP server (streamable HTTP)." example:"https://crm.example.com/mcp"`
	Headers map[string]string `json:"headers,omitzero" maxProperties:"10" doc:"HTTP headers of requests to the server. Values refer to secrets: a credential is stored as a secret alone." example:"{\"Authorization\":\"Bearer {{secrets.crm}}\"}"`
	Allow   []string          `json:"allow,omitzero" maxItems:"50" doc:"Names of the server's tools that the agent may call. Default: all." example:"[\"look_up_customer\"]"`
	// TimeoutMS bounds connecting, and each call of a tool.
	TimeoutMS *int `json:"timeout_ms,omitempty" minimum:"100" maximum:"60000" doc:"Timeout for connecting and for each call of a tool, in milliseconds. Default: 5000." example:"5000"`
	// Tools and ListedAt are set when the agent is saved.
	Tools    []ListedTool `json:"listed_tools,omitzero" maxItems:"50" doc:"Tools that the server offered when they were last listed, which is when the agent is saved. What a request has here is ignored."`
	ListedAt *time.Time   `json:"listed_at,omitempty" doc:"Time of the listing of tools. What a request has here is ignored." example:"2026-11-01T09:30:00Z"`
}

// ListedTool is a tool that a server offers.
type ListedTool struct {
	Name        string `json:"name" maxLength:"200" doc:"Name of the tool at the server." example:"look_up_customer"`
	Description string `json:"description,omitempty" maxLength:"2000" doc:"Description of the tool, for the language model." example:"Finds a customer by number."`
	// Parameters is a JSON Schema.
	Parameters json.RawMessage `json:"parameters,omitempty" doc:"JSON Schema of the tool's arguments, an object."`
}

// Timeout returns the time for connecting, and for each call.
func (s ToolServer) Timeout() time.Duration {
	if s.TimeoutMS == nil {
		return defaultTimeout
	}
	return time.Duration(*s.TimeoutMS) * time.Millisecond
}

// Offered returns the tools that an agent may call.
func (s ToolServer) Offered() (tools []ListedTool) {
	for _, t := range s.Tools {
		if len(s.Allow) == 0 || slices.Contains(s.Allow, t.Name) {
			tools = append(tools, t)
		}
	}
	return tools
}

// Secrets returns the names of the secrets that the headers refer to.
func (s ToolServer) Secrets() (names []string) {
	for _, value := range s.Headers {
		names = append(names, template.Below("secrets", template.Paths(value))...)
	}
	return names
}

// Key identifies what a listing depends on.
func (s ToolServer) Key() string {
	encoded, _ := json.Marshal([]any{s.URL, s.Headers}) // strings always encode
	return string(encoded)
}

var (
	braces  = regexp.MustCompile(`(?s)\{\{(.*?)\}\}`)
	secret  = regexp.MustCompile(`^secrets\.[a-zA-Z0-9_]+$`)
	schemes = []string{"", "basic", "bearer", "token"}
)

// Faults returns what is wrong in a server's settings, with fields relative to it.
func (s ToolServer) Faults() (faults []fault.Detail) {
	add := func(field, format string, args ...any) {
		faults = append(faults, fault.Detail{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if len(s.URL) > MaxURL || strings.Contains(s.URL, "{{") || !strings.HasPrefix(s.URL, "https://") && !strings.HasPrefix(s.URL, "http://") {
		add("url", "must be a URL, https or http, without templates, of at most %d characters", MaxURL)
	}
	if len(s.Headers) > MaxHeaders {
		add("headers", "has %d entries, at most %d are allowed", len(s.Headers), MaxHeaders)
	}
	for name, value := range s.Headers {
		if !httpguts.ValidHeaderFieldName(name) {
			add("headers."+name, "is not a header's name")
		} else if why := headerFault(value); why != "" {
			add("headers."+name, "%s", why)
		}
	}
	if len(s.Allow) > MaxTools {
		add("allow", "has %d entries, at most %d are allowed", len(s.Allow), MaxTools)
	}
	if ms := s.TimeoutMS; ms != nil && (*ms < MinTimeout || *ms > MaxTimeout) {
		add("timeout_ms", "must be between %d and %d", MinTimeout, MaxTimeout)
	}
	return faults
}

// headerFault returns what is wrong in a header's value, which holds a secret and the name of a scheme at most.
func headerFault(value string) string {
	if len(value) > MaxHeader {
		return fmt.Sprintf("must have at most %d characters", MaxHeader)
	}
	rest := strings.ToLower(strings.TrimSpace(braces.ReplaceAllString(value, "")))
	if !slices.Contains(schemes, rest) {
		return "must refer to a secret, such as Bearer {{secrets.crm}}: credentials are stored as secrets alone"
	}
	for _, match := range braces.FindAllStringSubmatch(value, -1) {
		if path, ok := template.Path(match[0]); !ok || !secret.MatchString(path) {
			return "must refer to secrets only, such as {{secrets.crm}}"
		}
	}
	return ""
}
