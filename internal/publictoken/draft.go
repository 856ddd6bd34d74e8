package publictoken

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/workflow"
)

// The limits of a token that are not given.
const (
	DefaultPerMinute  = 6
	DefaultPerDay     = 1_000
	DefaultMaxSeconds = 300
)

// Draft is a public token to be. A zero limit means its default.
type Draft struct {
	WorkflowSlug    *string
	AgentName       *string
	Origins         []string
	PerMinute       int
	PerDay          int
	MaxSeconds      int
	ExpiresAt       *time.Time
	UserContextKeys []string
}

// token returns the token of a valid draft.
func (d Draft) token() *Token {
	t := &Token{WorkflowSlug: d.WorkflowSlug, AgentName: d.AgentName, Origins: d.Origins, UserContextKeys: d.UserContextKeys,
		PerMinute: cmp.Or(d.PerMinute, DefaultPerMinute), PerDay: cmp.Or(d.PerDay, DefaultPerDay), MaxSeconds: cmp.Or(d.MaxSeconds, DefaultMaxSeconds)}
	if t.UserContextKeys == nil {
		t.UserContextKeys = []string{} // [] in JSON, not null
	}
	if d.ExpiresAt != nil {
		t.ExpiresAt = bun.NullTime{Time: d.ExpiresAt.UTC()}
	}
	return t
}

// Faults returns the errors that a draft has by itself, beyond ranges and lengths.
func (d Draft) Faults() (faults []fault.Detail) {
	add := func(format string, n int, message string) {
		faults = append(faults, fault.Detail{Field: fmt.Sprintf(format, n), Message: message})
	}
	switch {
	case d.WorkflowSlug == nil && d.AgentName == nil:
		faults = append(faults, fault.Detail{Field: "workflow_slug", Message: "exactly one of workflow_slug and agent_name is required"})
	case d.WorkflowSlug != nil && d.AgentName != nil:
		faults = append(faults, fault.Detail{Field: "agent_name", Message: "must not stand beside workflow_slug"})
	}
	for n, origin := range d.Origins {
		switch problem := originProblem(origin); {
		case problem != "":
			add("origins[%d]", n, problem)
		case slices.Contains(d.Origins[:n], origin):
			add("origins[%d]", n, "is given twice")
		}
	}
	for n, key := range d.UserContextKeys {
		if !keyForm.MatchString(key) {
			add("user_context_keys[%d]", n, "must be a name of letters, digits and underscores")
		}
	}
	return faults
}

// check returns the errors that a draft without Faults has now, in the transaction's tenant.
func (d Draft) check(ctx context.Context, tx database.Tx) error {
	var faults []fault.Detail
	if d.ExpiresAt != nil && !d.ExpiresAt.After(tx.Now()) {
		faults = append(faults, fault.Detail{Field: "expires_at", Message: "must be in the future"})
	}
	field, message := "workflow_slug", ""
	var err error
	if d.WorkflowSlug != nil {
		_, err = workflow.Find(ctx, tx, *d.WorkflowSlug)
		message = "there is no workflow " + *d.WorkflowSlug
	} else {
		_, err = agent.Find(ctx, tx, *d.AgentName)
		field, message = "agent_name", "there is no agent "+*d.AgentName
	}
	if fault.Is(err, fault.NotFound) {
		faults, err = append(faults, fault.Detail{Field: field, Message: message}), nil
	}
	if err != nil {
		return err
	}
	return fault.Invalid(faults)
}

var keyForm = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)

// originProblem returns what is wrong with an origin, or "". It must be written as browsers send it in the header Origin (RFC 6454, 6.2):
// scheme and host in lower case, a port only if it is not the scheme's own, nothing behind.
func originProblem(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(u.Host, "*") {
		return "must be the origin of a web page, such as https://www.example.com; there are no wildcards"
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	if normal := u.Scheme + "://" + host; text != normal {
		return "must be written as browsers send it: " + normal
	}
	return ""
}
