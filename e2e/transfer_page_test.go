package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/media"
)

// personsBrowser is a browser at the page of a person to whom a caller is transferred.
type personsBrowser struct {
	t    *testing.T
	http *http.Client
	page string // its address, without the secret
}

func newPersonsBrowser(t *testing.T, link string) (b *personsBrowser, secret string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	page, secret, found := strings.Cut(link, "#")
	if !found || len(secret) < 32 {
		t.Fatalf("the link is %q", link)
	}
	return &personsBrowser{t, &http.Client{Jar: jar}, page}, secret
}

// do sends a request as the page does, and returns status, headers and body.
func (b *personsBrowser) do(method, path, body string) (int, http.Header, []byte) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("X-Requested-By", "page")
	request.Header.Set("X-Request-Id", "same")
	response, err := b.http.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, response.Header, text
}

func (b *personsBrowser) open(secret string) (int, []byte) {
	b.t.Helper()
	status, _, body := b.do(http.MethodPost, b.page+"/open", `{"secret": "`+secret+`"}`)
	return status, body
}

// shownPage is what the page shows besides the transcript.
type shownPage struct {
	Phase, Summary, Agent string
	PhoneNumber           *string                        `json:"phone_number"`
	UserContext           []struct{ Name, Value string } `json:"user_context"`
	ClosesAt              *time.Time                     `json:"closes_at"`
}

func (b *personsBrowser) read() (int, shownPage) {
	b.t.Helper()
	status, _, body := b.do(http.MethodGet, b.page+"/call", "")
	var shown shownPage
	if status == http.StatusOK {
		if err := json.Unmarshal(body, &shown); err != nil {
			b.t.Fatalf("%v\n%s", err, body)
		}
	}
	return status, shown
}

// pageStream is the stream of a page.
type pageStream struct {
	mu     sync.Mutex
	events []string // "name data"
}

func (s *pageStream) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.events, "\n")
}

func (b *personsBrowser) stream() *pageStream {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.page+"/stream", http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	response, err := b.http.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		b.t.Fatalf("the stream: %v, %v", response, err)
	}
	s := new(pageStream)
	go func() {
		defer response.Body.Close()
		name := ""
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if of, found := strings.CutPrefix(lines.Text(), "event: "); found {
				name = of
			} else if data, found := strings.CutPrefix(lines.Text(), "data: "); found && name != "heartbeat" {
				s.mu.Lock()
				s.events = append(s.events, name+" "+data)
				s.mu.Unlock()
			}
		}
		s.mu.Lock()
		s.events = append(s.events, "closed")
		s.mu.Unlock()
	}()
	return s
}

// receivePages makes a webhook that carries the links of pages.
func receivePages(t *testing.T, s *binary.Server) *receiver {
	t.Helper()
	r := receive(t)
	yes := true
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: r.URL, Filter: &client.WebhookFilter{IncludePage: &yes}})
	if err != nil {
		t.Fatal(err)
	}
	r.use(hook.Secret)
	return r
}

// joinWithContext is a caller in the browser whose call has a context, who asks for a person.
func joinWithContext(t *testing.T, s *binary.Server, agent string, userContext map[string]any) *listeningCaller {
	t.Helper()
	d, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: agent, UserContext: userContext})
	if err != nil {
		t.Fatal(err)
	}
	c := &listeningCaller{id: d.CallID, heard: map[float64]time.Time{}}
	if c.Participant, err = joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, Data: true, OnFrame: c.hear}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Leave)
	go callers.StayQuiet(c.Participant)
	entries(t, s, c.id, 1) // the greeting
	if err := c.SendText(media.TopicChat, "person"); err != nil {
		t.Fatal(err)
	}
	return c
}

// The person who is dialled gets a link by webhook. It opens a page with the call, once, in one browser, which can read that call alone
// until shortly after its end.
func TestTransferPages(t *testing.T) {
	t.Parallel()
	phone := newSoftphone(t)
	settings := trunk(phone.address)
	maps.Copy(settings, map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true"})
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	hook := receivePages(t, s)
	desk(t, s, "consult", object{"mode": "consult", "to": []string{softphoneNumber}, "summary": "Ada wants to book a table.", "page": true})
	caller := joinWithContext(t, s, "consult", map[string]any{"name": "Ada", "order": 7})
	started := hook.delivered(t, caller.id, "call.transfer.started")
	if link := streamedLink(t, s, caller.id); started.PageURL != nil && link != *started.PageURL {
		t.Errorf("the stream has the link %q, the webhook %q", link, *started.PageURL)
	}
	if started.PageURL == nil || started.PageExpiresAt == nil || !strings.HasPrefix(*started.PageURL, s.URL+"/transfer/") {
		t.Fatalf("the event: %+v", started)
	}
	person, secret := newPersonsBrowser(t, *started.PageURL)

	// Programs that preview links change nothing; nor does who has no secret.
	for range 3 {
		status, header, body := person.do(http.MethodGet, person.page, "")
		if status != http.StatusOK || !strings.Contains(header.Get("Content-Type"), "text/html") || bytes.Contains(body, []byte("Ada")) {
			t.Fatalf("the page: %d, %v", status, header)
		}
		for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Robots-Tag": "noindex, nofollow", "X-Content-Type-Options": "nosniff"} {
			if got := header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("the policy is %s", policy)
		}
	}
	if status, _ := person.read(); status != http.StatusUnauthorized {
		t.Errorf("before it was opened: %d", status)
	}
	wrong := strings.Repeat("0", len(secret))
	status, refused := person.open(wrong)
	nobody := &personsBrowser{t, person.http, s.URL + "/transfer/0193a6f0-0000-4000-8000-000000000000"}
	unknownStatus, unknown := nobody.open(secret)
	if status != http.StatusUnauthorized || unknownStatus != status || !bytes.Equal(refused, unknown) {
		t.Errorf("a wrong secret: %d %s, an unknown page: %d %s", status, refused, unknownStatus, unknown)
	}
	elsewhere, err := http.NewRequestWithContext(t.Context(), http.MethodPost, person.page+"/open", strings.NewReader(`{"secret": "`+secret+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere.Header.Set("Sec-Fetch-Site", "cross-site")
	elsewhere.Header.Set("X-Requested-By", "page")
	if response, err := http.DefaultClient.Do(elsewhere); err != nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %v, %v", response, err)
	}

	if status, body := person.open(secret); status != http.StatusNoContent {
		t.Fatalf("opened: %d %s", status, body)
	}
	status, shown := person.read()
	if status != http.StatusOK || shown.Summary != "Ada wants to book a table." || len(shown.UserContext) != 2 || shown.UserContext[0].Value != "Ada" || shown.Agent != "consult" || shown.ClosesAt != nil {
		t.Errorf("the page shows %d, %+v", status, shown)
	}
	second, _ := newPersonsBrowser(t, *started.PageURL)
	if status, body := second.open(secret); status != http.StatusConflict || !bytes.Contains(body, []byte("already used")) {
		t.Errorf("opened again: %d %s", status, body)
	}
	if status, _ := second.read(); status != http.StatusUnauthorized {
		t.Errorf("another browser reads: %d", status)
	}

	// The transcript from the beginning of the call, as it grows.
	stream := person.stream()
	await(t, "the page shows the transcript", func() bool {
		all := stream.all()
		return strings.Contains(all, "Hello.") && strings.Contains(all, "book a table")
	})
	for line := range strings.SplitSeq(stream.all(), "\n") {
		if name, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"transcript", "page"}, name) {
			t.Errorf("the stream has %s", line)
		}
	}
	awaitSummary(t, s, caller.id)

	// The session is of one call.
	desk(t, s, "other", object{"mode": "bridge", "to": []string{"+4915900000000"}, "ring_seconds": 5, "page": true})
	foreign := joinWithContext(t, s, "other", map[string]any{"name": "Bob"})
	foreignStarted := hook.delivered(t, foreign.id, "call.transfer.started")
	foreignPage, _, _ := strings.Cut(*foreignStarted.PageURL, "#")
	session := ""
	for _, cookie := range cookiesAt(t, person) {
		session = cookie.Value
	}
	for _, path := range []string{foreignPage + "/call", foreignPage + "/stream", s.URL + "/api/v1/calls/" + caller.id, s.URL + "/api/v1/calls/" + caller.id + "/transcript", s.URL + "/api/v1/sse/calls/" + caller.id + "/stream"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.AddCookie(&http.Cookie{Name: "parley_transfer", Value: session})
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s by the session of another page: %d", path, response.StatusCode)
		}
		request.Header.Set("Cookie", "")
		request.Header.Set("Authorization", "Bearer "+session)
		if response, err = http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s by the session as a bearer: %v, %v", path, response, err)
		}
	}
	foreign.Leave()

	// Connected, and after the end.
	phone.command(t, "sndcode", "1")
	awaitSteps(t, s, caller.id, "started", "answered", "completed")
	await(t, "the page says that they are connected", func() bool { return strings.Contains(stream.all(), `"phase":"connected"`) })
	if completed := hook.delivered(t, caller.id, "call.transfer.completed"); completed.PageURL != nil || completed.PageExpiresAt == nil {
		t.Errorf("an event after the link was used: %+v", completed)
	}
	phone.hangUp(t)
	awaitEnd(t, s, caller.id, client.Completed, "transferred")
	await(t, "the stream ends with the call", func() bool { return strings.HasSuffix(stream.all(), "ended {}\nclosed") })
	if status, shown := person.read(); status != http.StatusOK || shown.ClosesAt == nil {
		t.Errorf("after the end: %d, %+v", status, shown)
	}

	opened := false
	moments, err := s.API.Calls.Timeline(t.Context(), caller.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		opened = opened || m.Type == client.MomentPageOpened
	}
	audited, err := s.API.AuditLog.List(t.Context(), client.AuditLogListQuery{Action: "call.open_page"})
	if err != nil || !opened || audited.Total != 1 || audited.Items[0].Actor.Type != "page_link" || *audited.Items[0].Resource.ID != caller.id {
		t.Errorf("opened in the timeline: %v, audited: %+v, %v", opened, audited, err)
	}
	wantNowhere(t, s, secret, session)
}

// streamedLink waits for the link of a page in the stream of a call.
func streamedLink(t *testing.T, s *binary.Server, callID string) string {
	t.Helper()
	for m, err := range s.API.Calls.Stream(t.Context(), callID) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Event == "transfer" {
			var step struct {
				PageURL string `json:"page_url"`
			}
			if err := json.Unmarshal(m.Data, &step); err != nil {
				t.Fatal(err)
			}
			return step.PageURL
		}
	}
	return ""
}

// cookiesAt returns the cookies that a browser has for its page.
func cookiesAt(t *testing.T, b *personsBrowser) []*http.Cookie {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.page+"/call", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	cookies := b.http.Jar.Cookies(request.URL)
	if len(cookies) != 1 {
		t.Fatalf("the browser has %v", cookies)
	}
	root := *request.URL
	root.Path = "/"
	if all := b.http.Jar.Cookies(&root); len(all) != 0 {
		t.Errorf("other pages get %v", all)
	}
	return cookies
}

// wantNowhere checks that no secret is in the log, the deliveries or the audit log.
func wantNowhere(t *testing.T, s *binary.Server, secrets ...string) {
	t.Helper()
	texts := []string{s.Log.String()}
	for _, path := range []string{"/api/v1/audit-log", "/api/v1/webhooks/deliveries?limit=100"} {
		var answer json.RawMessage
		ask(t, s, http.MethodGet, path, nil, &answer)
		texts = append(texts, string(answer))
	}
	deliveries, err := s.API.Deliveries.List(t.Context(), client.DeliverieListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deliveries.Items {
		var answer json.RawMessage
		ask(t, s, http.MethodGet, "/api/v1/webhooks/deliveries/"+d.ID, nil, &answer)
		texts = append(texts, string(answer))
	}
	for _, secret := range secrets {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, secret) }) {
			t.Errorf("a secret is in the log, the deliveries or the audit log")
		}
	}
}

// The page of a person who declines shows nothing any more, opened or not; the page of the next person is another one.
func TestTransferPageOfWhoDeclines(t *testing.T) {
	t.Parallel()
	phone := newSoftphone(t)
	settings := trunk(phone.address)
	maps.Copy(settings, map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true"})
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	hook := receivePages(t, s)
	desk(t, s, "consult", object{"mode": "consult", "to": []string{softphoneNumber}, "summary": "Ada wants to book a table.", "page": true})
	caller := joinWithContext(t, s, "consult", nil)
	person, secret := newPersonsBrowser(t, *hook.delivered(t, caller.id, "call.transfer.started").PageURL)
	if status, body := person.open(secret); status != http.StatusNoContent {
		t.Fatalf("opened: %d %s", status, body)
	}
	stream := person.stream()
	awaitSummary(t, s, caller.id)
	phone.command(t, "sndcode", "2")
	awaitSteps(t, s, caller.id, "started", "answered", "failed declined")
	await(t, "the page ends", func() bool { return strings.HasSuffix(stream.all(), "over {}\nclosed") })
	status, _, body := person.do(http.MethodGet, person.page+"/call", "")
	if status != http.StatusUnauthorized || !bytes.Contains(body, []byte("key_revoked")) {
		t.Errorf("after that: %d %s", status, body)
	}
}
