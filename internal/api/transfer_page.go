package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/api/wire"
	"parley/internal/audit"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/live"
	"parley/internal/template"
	"parley/internal/transferpage"
)

const (
	// maxPageStreams is how many streams of one page are open at once, on this node.
	maxPageStreams = 4
	// pageInterval is how often a stream looks whether its page has changed, or may no longer be read.
	pageInterval = time.Second
	// maxOpenBody is the largest body that opens a page, in bytes.
	maxOpenBody = 1 << 10
)

// pageCookie is the name of the cookie of a page's session; its path is the page's.
const pageCookie = "parley_transfer"

// pageBody is what the page of a person to whom a caller is transferred shows, besides the transcript. It is for the page alone, and not
// part of the API.
type pageBody struct {
	Phase       transferpage.Phase `json:"phase"`
	Mode        string             `json:"mode"`
	Summary     string             `json:"summary"` // "" until it is known
	PhoneNumber *string            `json:"phone_number"`
	CallerName  *string            `json:"caller_name"`
	Agent       string             `json:"agent"`
	UserContext []pageValue        `json:"user_context"`
	ClosesAt    *wire.Time         `json:"closes_at"` // null until the call has ended
}

// pageValue is a value of the context as text, since a browser's numbers have 53 bits.
type pageValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// serveTransferPages adds what the page of a person uses: a request that opens it, what it shows, and a stream of the transcript.
func (s *Server) serveTransferPages() {
	const page = transferpage.Path + "{id}"
	s.mux.HandleFunc("POST "+page+"/open", s.ownPage(s.openTransferPage))
	s.mux.HandleFunc("GET "+page+"/call", s.ownPage(s.showTransferPage))
	s.mux.HandleFunc("GET "+page+"/stream", s.ownPage(s.streamTransferPage))
	s.serveTransferPageFiles(page)
}

// ownPage returns a handler of requests that come from pages of this server, of which each address may make a number.
func (s *Server) ownPage(serve func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := s.checkOwnPage(r)
		if err == nil {
			err = s.deps.Auth.AdmitPublicRequest(r.Context(), wire.ExchangeOf(r.Context()).Client)
		}
		if err == nil {
			err = serve(w, r)
		}
		if err != nil {
			wire.WriteProblem(w, r, err)
		}
	}
}

// openTransferPage uses a link up, and gives the browser the session that may read its call.
func (s *Server) openTransferPage(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Secret string `json:"secret"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxOpenBody)).Decode(&body); err != nil {
		return fault.New(fault.Validation, "the body must be a JSON object with the link's secret")
	}
	id := r.PathValue("id")
	session, err := s.deps.Calls.OpenPage(r.Context(), id, body.Secret, s.auditOpenedPage(r.Context()))
	if err != nil {
		return err
	}
	longest := transferpage.LinkLife + s.deps.Calls.MaxDuration() + transferpage.Grace
	setCookie(w, sessionCookie{pageCookie, transferpage.Path + id}, session, longest, s.deps.Secure)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// auditOpenedPage returns what adds the opening of a page to the audit log.
func (s *Server) auditOpenedPage(ctx context.Context) call.OnOpen {
	e := newEntry(ctx, "call.open_page")
	return func(ctx context.Context, tx database.Tx, p *transferpage.Page) error {
		wire.ExchangeOf(ctx).Tenant = p.TenantID
		e.TenantID, e.ActorType, e.ActorID, e.ResourceID = p.TenantID, audit.PageLink, p.ID, p.CallID
		return audit.Add(ctx, tx, e)
	}
}

// transferPage returns the page that a request may read by the session in its cookie.
func (s *Server) transferPage(r *http.Request) (*transferpage.Page, error) {
	session, err := cookieValue(r, pageCookie)
	if err != nil {
		return nil, err
	}
	p, err := s.deps.Calls.Page(r.Context(), r.PathValue("id"), session)
	if err == nil {
		wire.ExchangeOf(r.Context()).Tenant = p.TenantID
	}
	return p, err
}

func (s *Server) showTransferPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.transferPage(r)
	if err != nil {
		return err
	}
	shown, err := s.wirePage(r.Context(), p)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(shown) // an error is the client's leaving
	return nil
}

func (s *Server) wirePage(ctx context.Context, p *transferpage.Page) (*pageBody, error) {
	c, err := s.deps.Calls.OfPage(ctx, p)
	if err != nil {
		return nil, err
	}
	b := &pageBody{Phase: p.Phase, Mode: string(p.Mode), Summary: c.Summary, PhoneNumber: c.PhoneNumber, CallerName: c.CallerName, Agent: c.Agent}
	if b.UserContext, err = pageValues(c.UserContext); err != nil {
		return nil, err
	}
	if !p.ClosesAt.IsZero() {
		b.ClosesAt = new(wire.Time(p.ClosesAt))
	}
	return b, nil
}

// pageValues returns the values of a context by name: scalars and lists of them as they are read, others as JSON.
func pageValues(userContext json.RawMessage) ([]pageValue, error) {
	values := []pageValue{} // [] in JSON, not null
	if userContext == nil {
		return values, nil
	}
	decoded, err := template.DecodeObject(userContext)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(decoded)) {
		values = append(values, pageValue{name, readableValue(decoded[name])})
	}
	return values, nil
}

func readableValue(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return indented(v)
	case []any:
		texts := make([]string, len(v))
		for n, item := range v {
			if texts[n] = readableValue(item); strings.Contains(texts[n], "\n") {
				return indented(v)
			}
		}
		return strings.Join(texts, ", ")
	case nil:
		return "–"
	default:
		return fmt.Sprint(v)
	}
}

// indented returns a decoded value as JSON, an entry a line.
func indented(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil { // what was decoded encodes
		return ""
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// streamTransferPage sends the transcript of the page's call, and as messages page what else it shows when that changes. It ends with a
// message ended after the end of the call, or over when the page may no longer be read.
func (s *Server) streamTransferPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.transferPage(r)
	if err != nil {
		return err
	}
	leave, err := s.pageStreams.enter(p.ID)
	if err != nil {
		return err
	}
	defer leave()
	resume := r.Header.Get("Last-Event-ID")
	st, err := s.deps.Live.Call(live.Viewer{TenantID: p.TenantID, Test: !p.Livemode}, p.CallID, resume)
	if err != nil {
		return err
	}
	defer st.Close()
	out := newEventWriter(w)
	st.OnSlow(out.abort)
	stream := &pageStream{s: s, r: r, out: out, id: cmp.Or(resume, live.FirstID), shown: p}
	going := out.begin() && r.Method != http.MethodHead && stream.show(p)
	ticker := time.NewTicker(pageInterval)
	defer ticker.Stop()
	for going {
		select {
		case <-r.Context().Done():
			return nil
		case frame, more := <-st.Frames():
			if !more {
				if stream.sendIfChanged(true) && !stream.shown.ClosesAt.IsZero() {
					out.send(live.Message(stream.id, "ended", struct{}{}))
				}
				return nil // where the call goes on, the client connects again
			}
			going = stream.forward(frame)
		case <-ticker.C:
			going = stream.sendIfChanged(false) && out.send(st.Heartbeat(stream.id))
		}
	}
	return nil
}

// pageStream is the stream of one page.
type pageStream struct {
	s     *Server
	r     *http.Request
	out   *eventWriter
	id    string // of the last message
	shown *transferpage.Page
}

// forward sends the transcript entries of a frame, and what else the page shows if the frame has other messages. It reports whether the
// stream goes on, as do the others.
func (p *pageStream) forward(frame live.Frame) bool {
	entries, others := frame.Of("transcript")
	p.id = frame.ID
	return (len(entries) == 0 || p.out.send(entries)) && (!others || p.sendIfChanged(true))
}

// sendIfChanged sends what the page shows if that has changed, or always.
func (p *pageStream) sendIfChanged(always bool) bool {
	now, err := p.s.transferPage(p.r)
	if fault.Is(err, fault.Authentication) || fault.Is(err, fault.KeyRevoked) {
		p.out.send(live.Message(p.id, "over", struct{}{}))
		return false
	}
	if err != nil {
		return true // the database may be back the next time
	}
	if before := p.shown; !always && now.Phase == before.Phase && now.Summary == before.Summary && now.ClosesAt.Equal(before.ClosesAt) {
		return true
	}
	return p.show(now)
}

func (p *pageStream) show(page *transferpage.Page) bool {
	shown, err := p.s.wirePage(p.r.Context(), page)
	if err != nil {
		return false // the client connects again
	}
	p.shown = page
	return p.out.send(live.Message(p.id, "page", shown))
}

// pageStreams counts the open streams of pages.
type pageStreams struct {
	mu   sync.Mutex
	open map[string]int // by page
}

// enter counts a stream until leave is called.
func (c *pageStreams) enter(id string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[id] >= maxPageStreams {
		return nil, fault.Later(fault.RateLimitExceeded, messageTimeout, "the page is open %d times", maxPageStreams)
	}
	c.open[id]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[id]--; c.open[id] == 0 {
			delete(c.open, id)
		}
	}, nil
}
