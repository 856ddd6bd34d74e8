package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/netguard"
	"parley/internal/seal"
	"parley/internal/signing"
)

// Extras reads the optional fields of events: those of terminal ones, and the links of transfers. Each method returns JSON;
// errors: not_found when the data was deleted, seal.ErrOpen when it cannot be
// decrypted.
type Extras interface {
	// Transcript is an array of {role, content, agent?}.
	Transcript(ctx context.Context, tenantID, callID string) (json.RawMessage, error)
	// Context is an object.
	Context(ctx context.Context, tenantID, callID string) (json.RawMessage, error)
	// Metrics is {duration_seconds, agent_count, message_count}.
	Metrics(ctx context.Context, tenantID, callID string) (json.RawMessage, error)
	// PageLink is the link, a string, that opens the page with an id; not_found when it opens nothing any more.
	PageLink(ctx context.Context, tenantID, pageID string) (json.RawMessage, error)
}

const (
	maxResponseBody = 16 << 10
	maxRetryAfter   = time.Hour
	userAgent       = "Parley-Webhook/1.0"
	// retryOwnFailure is the delay of a delivery whose attempt failed before it
	// was sent, for a reason on this server.
	retryOwnFailure = 5 * time.Second
)

// result is the outcome of an attempt of a claimed delivery.
type result struct {
	job        job
	status     Status        // Delivered, Failed, or Pending for another attempt
	attempted  bool          // a request was sent; otherwise no attempt is counted
	unstarted  bool          // it was claimed, and returns to the queue without an attempt
	unreadable bool          // this node cannot open the configuration's secrets
	failing    bool          // the endpoint's last known attempt failed when this one started
	wait       time.Duration // until the next attempt, with status Pending
	started    time.Time
	duration   time.Duration
	code       int    // HTTP status; 0 without a response
	body       string // first 16 KiB of the response, without control characters
	err        string // why there was no response; it contains no text from the endpoint
}

// sender sends deliveries.
type sender struct {
	client *http.Client
	sealer *seal.Sealer
	extras Extras
	log    *slog.Logger
}

// sendAttempt makes one attempt of a claimed delivery.
func (s *sender) sendAttempt(ctx context.Context, j job) result {
	res := result{job: j, started: time.Now()}
	body, err := s.buildBody(ctx, j)
	var request *http.Request
	if err == nil {
		request, err = s.buildRequest(ctx, j, body)
	}
	switch {
	case ctx.Err() != nil:
		res.status = Pending
		return res
	case errors.Is(err, seal.ErrOpen): // another node may have the right key
		res.status, res.wait, res.unreadable = Pending, retryOwnFailure, true
		res.err = "the configuration's secret or headers do not open with the encryption keys of this node; another node may have the right ones"
		return res
	case err != nil:
		res.status, res.wait, res.err = Pending, retryOwnFailure, err.Error()
		return res
	}
	timeout, cancel := context.WithTimeout(request.Context(), time.Duration(j.Timeout)*time.Second)
	defer cancel()
	response, err := s.client.Do(request.WithContext(timeout))
	if err == nil {
		res.code, res.body = response.StatusCode, readBody(response.Body)
		response.Body.Close()
	}
	res.duration = time.Since(res.started)
	if err != nil && ctx.Err() != nil {
		res.status = Pending // aborted: another node makes this attempt
		return res
	}
	res.attempted = true
	if err != nil {
		res.err = explain(err, j.Timeout)
	}
	res.status, res.wait = j.nextStatus(response, err)
	return res
}

// nextStatus sets the next status after an attempt: delivered on 2xx; pending on a
// missing response, 5xx and 429 while attempts remain; failed otherwise.
func (j *job) nextStatus(response *http.Response, err error) (Status, time.Duration) {
	again := err != nil && !errors.Is(err, netguard.ErrRefused)
	attempt := j.Delivery.Attempts + 1
	wait := j.RetryPolicy.pause(attempt)
	if err == nil {
		code := response.StatusCode
		if code >= 200 && code < 300 {
			return Delivered, 0
		}
		again = code >= 500 || code == http.StatusTooManyRequests
		wait = max(wait, retryAfter(response.Header.Get("Retry-After"), j.now()))
	}
	if !again || attempt >= j.Delivery.MaxAttempts {
		return Failed, 0
	}
	return Pending, wait
}

// retryAfter parses a Retry-After header (RFC 9110 10.2.3), in seconds or as a
// date: at most an hour; 0 when absent or invalid.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(header), 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// buildRequest builds the signed request of an attempt.
func (s *sender) buildRequest(ctx context.Context, j job, body []byte) (*http.Request, error) {
	settings, err := j.decode(s.sealer)
	if err != nil {
		return nil, err
	}
	now := j.now()
	secrets, err := j.validSecrets(s.sealer, now)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, j.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request of webhook delivery %s: %w", j.Delivery.ID, err)
	}
	for name, value := range settings.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set(SignatureHeader, signing.Signature(secrets, now, body))
	request.Header.Set("X-Webhook-Id", j.ID)
	request.Header.Set("X-Webhook-Event", j.Event.Type)
	request.Header.Set("X-Webhook-Delivery", j.Delivery.ID)
	request.Header.Set("X-Webhook-Attempt", strconv.Itoa(j.Delivery.Attempts+1))
	request.Header.Set("X-Webhook-Max-Attempts", strconv.Itoa(j.Delivery.MaxAttempts))
	return request, nil
}

// eventBody is the payload format "event".
type eventBody struct {
	ID         string          `json:"id"`
	Object     string          `json:"object,omitempty"`
	APIVersion string          `json:"api_version,omitempty"`
	Created    int64           `json:"created"` // Unix seconds
	Type       string          `json:"type"`
	TenantID   string          `json:"tenant_id"`
	Livemode   bool            `json:"livemode"`
	Data       json.RawMessage `json:"data"`
}

// envelopeBody is the payload format "envelope"; its event has no object and no
// api_version.
type envelopeBody struct {
	Event       eventBody `json:"event"`
	DeliveryID  string    `json:"delivery_id"`
	Attempt     int       `json:"attempt"`
	MaxAttempts int       `json:"max_attempts"`
}

func (s *sender) buildBody(ctx context.Context, j job) ([]byte, error) {
	data, err := s.buildData(ctx, j)
	if err != nil {
		return nil, err
	}
	e := eventBody{ID: j.Event.ID, Created: j.Event.CreatedAt.Unix(), Type: j.Event.Type, TenantID: j.TenantID, Livemode: j.Event.Livemode, Data: data}
	if j.PayloadFormat == FormatEnvelope {
		return json.Marshal(envelopeBody{Event: e, DeliveryID: j.Delivery.ID, Attempt: j.Delivery.Attempts + 1, MaxAttempts: j.Delivery.MaxAttempts})
	}
	e.Object, e.APIVersion = "event", event.APIVersion
	return json.Marshal(e)
}

// buildData returns the event's data with the extras that the filter includes.
func (s *sender) buildData(ctx context.Context, j job) (json.RawMessage, error) {
	if j.IncludePage && event.HasPage(j.Event.Type) {
		return s.addPageLink(ctx, j)
	}
	if j.Event.CallID == nil || !event.Terminal(j.Event.Type) {
		return j.Event.Data, nil
	}
	var data map[string]json.RawMessage
	for _, extra := range []struct {
		name   string
		wanted bool
		read   func(ctx context.Context, tenantID, callID string) (json.RawMessage, error)
	}{
		{"transcript", j.IncludeTranscript, s.extras.Transcript},
		{"context", j.IncludeContext, s.extras.Context},
		{"metrics", j.IncludeMetrics, s.extras.Metrics},
	} {
		if !extra.wanted {
			continue
		}
		value, err := extra.read(ctx, j.TenantID, *j.Event.CallID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if errors.Is(err, seal.ErrOpen) { // the event is worth sending without it
			s.log.Error("webhook sent without data that cannot be decrypted", "extra", extra.name,
				"delivery", j.Delivery.ID, "event", j.Event.ID, "tenant", j.TenantID)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s of call %s: %w", extra.name, *j.Event.CallID, err)
		}
		if data == nil {
			if err := json.Unmarshal(j.Event.Data, &data); err != nil {
				return nil, fmt.Errorf("read data of event %s: %w", j.Event.ID, err)
			}
		}
		data[extra.name] = value
	}
	if data == nil {
		return j.Event.Data, nil
	}
	return json.Marshal(data)
}

// addPageLink returns the data of an event of a transfer with page_url: null when the link opens nothing any more.
func (s *sender) addPageLink(ctx context.Context, j job) (json.RawMessage, error) {
	var page struct {
		ID string `json:"page_id"`
	}
	if err := json.Unmarshal(j.Event.Data, &page); err != nil || page.ID == "" {
		return j.Event.Data, err
	}
	link, err := s.extras.PageLink(ctx, j.TenantID, page.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		link = json.RawMessage("null")
	case errors.Is(err, seal.ErrOpen):
		s.log.Error("webhook sent without data that cannot be decrypted", "extra", "page_url", "delivery", j.Delivery.ID, "event", j.Event.ID, "tenant", j.TenantID)
		return j.Event.Data, nil
	case err != nil:
		return nil, fmt.Errorf("link of page %s: %w", page.ID, err)
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(j.Event.Data, &data); err != nil {
		return nil, fmt.Errorf("read data of event %s: %w", j.Event.ID, err)
	}
	data["page_url"] = link
	return json.Marshal(data)
}

// readBody reads the first maxResponseBody bytes of a response body as clean text.
func readBody(body io.Reader) string {
	read, _ := io.ReadAll(io.LimitReader(body, maxResponseBody)) // an error does not invalidate what was read
	return cleanText(string(read))
}

// cleanText removes invalid UTF-8 and control characters except line breaks and tabs
// from untrusted text. Neither database stores a NUL.
func cleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
