package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/seal"
	"parley/internal/template"
)

// Tenant has what the requests of a tenant's tools are made with. The zero value has no secrets.
type Tenant struct {
	ID      string
	Sealer  *seal.Sealer // opens static header values
	Secrets Secrets
	Signer  Signer // nil: requests are not signed
}

// Signer signs requests. Its error is signing.ErrNone if the tenant has no secret for that; others are worded for the tenant.
type Signer interface {
	Sign(ctx context.Context, content []byte) (string, error)
}

// Secrets are a tenant's secrets, {{secrets.<name>}} in the requests of tools. Errors are worded for the tenant.
type Secrets interface {
	Secret(ctx context.Context, name string) (value string, exists bool, err error)
}

// secretScope is the source secrets of a request's templates.
type secretScope struct {
	ctx context.Context
	of  *run
}

// Field returns a secret, or masked where the request is only shown. What cannot be read is reported by the run's secretFault.
func (s secretScope) Field(name string) (value any, found bool) {
	if s.of.shown {
		return masked, true
	}
	secret, exists, err := "", false, error(nil)
	if s.of.call.Tenant.Secrets != nil {
		secret, exists, err = s.of.call.Tenant.Secrets.Secret(s.ctx, name)
	}
	if err == nil && !exists {
		err = fmt.Errorf("there is no secret %s", name)
	}
	if err != nil {
		s.of.secretFault = err
		return nil, false
	}
	s.of.used.add(secret)
	return secret, true
}

// String returns nothing: all secrets together are no value.
func (secretScope) String() string { return "" }

var _ template.Object = secretScope{}

// header returns the template of a header, opened if it is sealed.
func (u *run) header(name, value string) (string, error) {
	if !isSealed(value) {
		return value, nil
	}
	if u.shown {
		return masked, nil
	}
	plain, err := openHeader(u.call.Tenant.Sealer, headerPlace(u.call.Tenant.ID, u.call.Name), value)
	if err != nil {
		return "", fmt.Errorf("the header %s was sealed with an encryption key that is gone: give it its value again", name)
	}
	return plain, nil
}

// minHidden is the minimum length of a header value that is hidden in responses, in characters.
const minHidden = minMasked

// hideHeader hides a static header value that is a credential by the header's name, with and without its scheme.
func (u *run) hideHeader(name, value string) {
	if u.shown || !credential.MatchString(name) && !strings.EqualFold(name, "cookie") {
		return
	}
	_, credentials, _ := strings.Cut(value, " ")
	for _, text := range []string{value, strings.TrimSpace(credentials)} {
		if utf8.RuneCountInString(text) >= minHidden {
			u.used.add(text)
		}
	}
}

// hidden are values that must not appear in responses: a server may repeat what it was sent.
type hidden struct{ forms []string }

// add adds a value in the forms in which a response may have it: plain, within JSON, within JSON in JSON, and within a URL.
func (h *hidden) add(value string) {
	for _, form := range []string{
		value, inJSON(value, true), inJSON(value, false), inJSON(inJSON(value, true), true), inJSON(inJSON(value, false), false), url.QueryEscape(value), url.PathEscape(value),
	} {
		if form != "" && !slices.Contains(h.forms, form) {
			h.forms = append(h.forms, form)
		}
	}
}

// inJSON returns a text as it stands between the quotes of a JSON string, with HTML's characters escaped or not.
func inJSON(text string, escapeHTML bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(escapeHTML)
	_ = encoder.Encode(text) // a text is always valid
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// hide returns a response body with masked in place of the values.
func (h *hidden) hide(body []byte) []byte {
	if len(h.forms) == 0 || len(body) == 0 {
		return body
	}
	slices.SortStableFunc(h.forms, func(a, b string) int { return len(b) - len(a) }) // the longest match wins
	pairs := make([]string, 0, 2*len(h.forms))
	for _, form := range h.forms {
		pairs = append(pairs, form, masked)
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(body)))
}
