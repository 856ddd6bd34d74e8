// Package webhook delivers the events of calls to the tenant's backends: signed
// HTTP requests, at least once for each webhook whose filter includes the event.
//
// A delivery row is both queue entry and log entry. Queue writes it in the
// transaction of the event and reads the log; Deliverer claims it under a lease,
// sends it and records the attempt; Settings stores the configuration.
package webhook

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/netguard"
)

// PayloadFormat is the shape of a delivery's body.
type PayloadFormat string

// The payload formats.
const (
	FormatEvent    PayloadFormat = "event"    // the event itself
	FormatEnvelope PayloadFormat = "envelope" // the event inside an object that describes the delivery
)

// RetryPolicy is the schedule of a delivery's attempts.
type RetryPolicy string

// The retry policies.
const (
	RetryStandard RetryPolicy = "standard" // max_retries attempts, with pauses that double from a second
	RetryExtended RetryPolicy = "extended" // over 24 hours, see extendedPauses
)

// Defaults and bounds of a configuration.
const (
	defaultTimeout    = 30 // seconds
	maxTimeout        = 60
	defaultMaxRetries = 5 // attempts, the first included
	maxMaxRetries     = 20
	maxURL            = 2048 // bytes
	maxHeaders        = 50
	maxHeaderValue    = 4096 // bytes
	maxFilterNames    = 100
	maxFilterName     = 255 // bytes
)

// Config is the configuration of a webhook as the API reads and writes it.
type Config struct {
	URL           string            `json:"url"`
	Enabled       bool              `json:"enabled"`
	Filter        Filter            `json:"filter"`
	Headers       map[string]string `json:"headers"`
	Timeout       int               `json:"timeout"`     // seconds an attempt may take
	MaxRetries    int               `json:"max_retries"` // attempts of the standard policy, the first included
	RetryPolicy   RetryPolicy       `json:"retry_policy"`
	PayloadFormat PayloadFormat     `json:"payload_format"`
}

// Filter selects events and their optional data.
type Filter struct {
	Events            []string `json:"events,omitzero"`    // nil: all
	Workflows         []string `json:"workflows,omitzero"` // slugs; nil: all calls
	Agents            []string `json:"agents,omitzero"`    // names; nil: all calls
	IncludeTranscript bool     `json:"include_transcript"`
	IncludeContext    bool     `json:"include_context"`
	IncludeMetrics    bool     `json:"include_metrics"`
	IncludePage       bool     `json:"include_page"`
}

// Webhook is a tenant's stored configuration.
type Webhook struct {
	ID string `json:"id"` // whk_…
	// Primary says that it is the one of /api/v1/webhooks.
	Primary bool   `json:"primary"`
	Secret  string `json:"-"` // only of one that was created now
	Config
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// parseConfig parses a JSON object; absent and null fields have their defaults. It
// reports all validation errors together, after those in found. Unknown fields are
// reported by the caller.
func parseConfig(text []byte, allowPrivate bool, found fault.Found) (Config, error) {
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil || doc == nil {
		return Config{}, fault.Invalid([]fault.Detail{{Field: "body", Message: "must be a JSON object"}})
	}
	r := &configReader{}
	c := Config{
		URL:           r.text(doc, "", "url", ""),
		Enabled:       r.flag(doc, "", "enabled", true),
		Headers:       r.headers(doc),
		Timeout:       r.integer(doc, "timeout", defaultTimeout, maxTimeout),
		MaxRetries:    r.integer(doc, "max_retries", defaultMaxRetries, maxMaxRetries),
		RetryPolicy:   RetryPolicy(r.text(doc, "", "retry_policy", string(RetryStandard))),
		PayloadFormat: PayloadFormat(r.text(doc, "", "payload_format", string(FormatEvent))),
	}
	filter, ok := doc["filter"].(map[string]any)
	if !ok && doc["filter"] != nil {
		r.fault("filter", "must be an object")
	}
	c.Filter = Filter{
		Events:            r.events(filter),
		Workflows:         r.names(filter, "workflows", "slugs of workflows"),
		Agents:            r.names(filter, "agents", "names of agents"),
		IncludeTranscript: r.flag(filter, "filter.", "include_transcript", false),
		IncludeContext:    r.flag(filter, "filter.", "include_context", false),
		IncludeMetrics:    r.flag(filter, "filter.", "include_metrics", true),
		IncludePage:       r.flag(filter, "filter.", "include_page", false),
	}
	if _, isText := doc["url"].(string); isText || doc["url"] == nil {
		if problem := checkURL(c.URL, allowPrivate); problem != "" {
			r.fault("url", "%s", problem)
		}
	}
	if _, isText := doc["payload_format"].(string); isText && c.PayloadFormat != FormatEvent && c.PayloadFormat != FormatEnvelope {
		r.fault("payload_format", `must be "event" or "envelope"`)
	}
	if _, isText := doc["retry_policy"].(string); isText && c.RetryPolicy != RetryStandard && c.RetryPolicy != RetryExtended {
		r.fault("retry_policy", `must be "standard" or "extended"`)
	}
	return c, found.With(r.details)
}

// checkURL returns what is wrong with a destination URL, or "".
func checkURL(raw string, allowPrivate bool) string {
	switch {
	case raw == "":
		return "is required"
	case len(raw) > maxURL:
		return "is too long"
	}
	return netguard.CheckURL(raw, allowPrivate)
}

// configReader reads fields of a decoded JSON object and collects validation errors.
type configReader struct{ details []fault.Detail }

func (r *configReader) fault(field, format string, args ...any) {
	r.details = append(r.details, fault.Detail{Field: field, Message: fmt.Sprintf(format, args...)})
}

func (r *configReader) text(doc map[string]any, prefix, key, absent string) string {
	switch v := doc[key].(type) {
	case nil:
		return absent
	case string:
		return v
	}
	r.fault(prefix+key, "must be a string")
	return absent
}

func (r *configReader) flag(doc map[string]any, prefix, key string, absent bool) bool {
	switch v := doc[key].(type) {
	case nil:
		return absent
	case bool:
		return v
	}
	r.fault(prefix+key, "must be true or false")
	return absent
}

func (r *configReader) integer(doc map[string]any, key string, absent, most int) int {
	if doc[key] == nil {
		return absent
	}
	v, ok := doc[key].(float64)
	if !ok || v != math.Trunc(v) {
		r.fault(key, "must be an integer")
		return absent
	}
	if v < 1 || v > float64(most) {
		r.fault(key, "must be from 1 to %d", most)
		return absent
	}
	return int(v)
}

func (r *configReader) events(filter map[string]any) []string {
	if filter["events"] == nil {
		return nil
	}
	list, ok := filter["events"].([]any)
	if !ok {
		r.fault("filter.events", "must be an array of event types")
		return nil
	}
	chosen := []string{}
	for i, v := range list {
		name, _ := v.(string)
		if !slices.Contains(event.Types, name) {
			r.fault(fmt.Sprintf("filter.events[%d]", i), "must be one of %s", strings.Join(event.Types, ", "))
		} else if !slices.Contains(chosen, name) {
			chosen = append(chosen, name)
		}
	}
	return chosen
}

// names reads a list of names of records, which need not exist.
func (r *configReader) names(filter map[string]any, key, what string) []string {
	if filter[key] == nil {
		return nil
	}
	list, ok := filter[key].([]any)
	if !ok || len(list) == 0 || len(list) > maxFilterNames {
		r.fault("filter."+key, "must be an array of 1 to %d %s", maxFilterNames, what)
		return nil
	}
	chosen := []string{}
	for i, v := range list {
		name, _ := v.(string)
		if name == "" || len(name) > maxFilterName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			r.fault(fmt.Sprintf("filter.%s[%d]", key, i), "must be a string of 1 to %d bytes", maxFilterName)
		} else if !slices.Contains(chosen, name) {
			chosen = append(chosen, name)
		}
	}
	return chosen
}

// ReservedHeaders are header names that a configuration may not set, in addition to X-Webhook-*: the request sets them itself.
var ReservedHeaders = []string{
	"Host", "Content-Length", "Content-Type", "Content-Encoding", "User-Agent",
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
}

func (r *configReader) headers(doc map[string]any) map[string]string {
	headers := map[string]string{}
	if doc["headers"] == nil {
		return headers
	}
	given, ok := doc["headers"].(map[string]any)
	if !ok {
		r.fault("headers", "must be an object of strings")
		return headers
	}
	if len(given) > maxHeaders {
		r.fault("headers", "must have at most %d entries", maxHeaders)
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		field := "headers." + name
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			r.fault(field, "is not a header name")
			continue
		case slices.Contains(ReservedHeaders, canonical), strings.HasPrefix(canonical, "X-Webhook-"):
			r.fault(field, "is reserved")
			continue
		case seen[canonical]:
			r.fault(field, "is given twice")
			continue
		}
		seen[canonical] = true
		value, ok := given[name].(string)
		switch {
		case !ok:
			r.fault(field, "must be a string")
		case len(value) > maxHeaderValue:
			r.fault(field, "must have at most %d bytes", maxHeaderValue)
		case !httpguts.ValidHeaderFieldValue(value) || !utf8.ValidString(value):
			r.fault(field, "must not hold control characters")
		default:
			headers[name] = value
		}
	}
	return headers
}
