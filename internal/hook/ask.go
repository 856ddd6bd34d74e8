package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"parley/internal/database"
	"parley/internal/netguard"
	"parley/internal/seal"
	"parley/internal/signing"
)

const userAgent = "Parley-Call-Hook/1.0"

// Asker asks hooks. It is safe for concurrent use.
type Asker struct {
	db           *database.DB
	sealer       *seal.Sealer
	client       *http.Client
	transport    *http.Transport
	allowPrivate bool
}

// NewAsker returns an Asker. With allowPrivate, requests may use private addresses and plain http.
func NewAsker(db *database.DB, sealer *seal.Sealer, allowPrivate bool) *Asker {
	transport := netguard.NewTransport(netguard.Options{AllowPrivate: allowPrivate, IdlePerHost: 8})
	return &Asker{db: db, sealer: sealer, client: netguard.NewClient(transport), transport: transport, allowPrivate: allowPrivate}
}

// Close closes idle connections.
func (a *Asker) Close() { a.transport.CloseIdleConnections() }

// Ask sends the request of a hook, once, and returns the answer. Errors are worded for the tenant and contain nothing that the backend
// said.
func (a *Asker) Ask(ctx context.Context, tenantID string, h CallHook, q Question) (Answer, error) {
	if problem := netguard.CheckURL(h.URL, a.allowPrivate); problem != "" {
		return Answer{}, fmt.Errorf("its URL %s", problem)
	}
	if q.SIPHeaders == nil {
		q.SIPHeaders = map[string]string{}
	}
	body, err := json.Marshal(q)
	if err != nil {
		return Answer{}, fmt.Errorf("encode a call hook's request: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, h.timeout())
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return Answer{}, errors.New("its URL is not valid")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("X-Parley-Call-Id", q.CallID)
	signature, err := signing.NewSigner(a.db.Tenant(tenantID), a.sealer, signing.CallHooks).Sign(limited, body)
	switch {
	case err == nil:
		request.Header.Set(signing.WebhookHeader, signature)
	case !errors.Is(err, signing.ErrNone):
		return Answer{}, err
	}
	response, err := a.client.Do(request)
	if err != nil {
		return Answer{}, explain(limited, h, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return Answer{}, nil
	}
	if response.StatusCode != http.StatusOK {
		return Answer{}, fmt.Errorf("answered with status %d", response.StatusCode)
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "application/json" {
		return Answer{}, errors.New("answered without the content type application/json")
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return Answer{}, explain(limited, h, err)
	}
	return parse(text)
}

// explain returns why there was no answer.
func explain(limited context.Context, h CallHook, err error) error {
	if limited.Err() != nil && !errors.Is(err, netguard.ErrRefused) {
		return fmt.Errorf("no answer within %d ms", h.timeout().Milliseconds())
	}
	return errors.New(netguard.Explain(err))
}

// parse returns a valid answer.
func parse(text []byte) (a Answer, err error) {
	if len(text) > maxAnswer {
		return a, fmt.Errorf("answered with more than %d KiB", maxAnswer>>10)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		field := new(json.UnmarshalTypeError)
		if errors.As(err, &field) && field.Field != "" {
			return Answer{}, fmt.Errorf("answered with a %s in the wrong form", field.Field)
		}
		return Answer{}, errors.New("answered with something other than a JSON object")
	}
	if a.WorkflowSlug != "" && a.AgentName != "" {
		return Answer{}, errors.New("answered with both workflow_slug and agent_name")
	}
	for _, object := range []struct {
		field string
		value *json.RawMessage
	}{{"user_context", &a.UserContext}, {"metadata", &a.Metadata}} {
		trimmed := bytes.TrimSpace(*object.value)
		switch {
		case len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")):
			*object.value = nil
		case trimmed[0] != '{':
			return Answer{}, fmt.Errorf("answered with a %s that is no object", object.field)
		case len(trimmed) > maxContext:
			return Answer{}, fmt.Errorf("answered with a %s of more than %d KiB", object.field, maxContext>>10)
		}
	}
	if utf8.RuneCountInString(a.Greeting) > maxGreeting {
		return Answer{}, fmt.Errorf("answered with a greeting of more than %d characters", maxGreeting)
	}
	if len(a.WorkflowSlug) > maxName || len(a.AgentName) > maxName {
		return Answer{}, fmt.Errorf("answered with a name of more than %d bytes", maxName)
	}
	if r := a.Reject; r != nil && r.SIPStatus != 0 && (r.SIPStatus < 400 || r.SIPStatus > 699) {
		return Answer{}, errors.New("answered with a sip_status that is not from 400 to 699")
	}
	return a, nil
}
