package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/internal/template"
)

// Request is an api_call of a trial as it was sent, with its response. Values of the user context are masked in both.
type Request struct {
	Method   string
	URL      string // "" when it could not be made
	Headers  map[string]string
	Body     json.RawMessage // nil for none
	Status   int             // 0 without an answer
	Answer   string          // the first bytes of its text
	Failed   string          // why there was no answer; "" with one
	Attempts int
	Took     time.Duration // all attempts together
}

// MaxTrial limits the requests, responses and changes that a trial returns, in bytes.
const MaxTrial = 256 << 10

// trial keeps the requests of a run. All methods of nil do nothing.
type trial struct {
	mask     Mask
	room     *template.Budget // MaxTrial
	omitted  bool             // something found no room
	user     any              // the user context, masked
	requests []Request
	begun    time.Time
}

// Try is like Run, outside a call: it returns the requests that were made as well.
// What it returns has the values of the scope's user masked, as the transcript
// of a call does.
func (r *Runner) Try(ctx context.Context, c Call) (Outcome, []Request) {
	user, _ := c.Scope["user"].(map[string]any)
	t := &trial{mask: NewMask(user), room: template.NewBudget(MaxTrial)}
	if encoded, err := json.Marshal(user); err == nil {
		t.user = decoded(t.mask.JSON(encoded))
	}
	o := r.run(ctx, c, t)
	o.Answer = t.mask.Text(o.Answer)
	for i := range o.Changes {
		o.Changes[i].Value = t.value(o.Changes[i].Value)
	}
	if t.omitted {
		o.Problems = append(o.Problems, Problem{Message: fmt.Sprintf("tool %s: a trial returns at most %d KiB (limit tool_trial): the rest of its requests, responses and changes was left out", c.Name, MaxTrial>>10)})
	}
	if o.Next != nil {
		next := *o.Next
		next.Number, next.Message = t.mask.Text(next.Number), t.mask.Text(next.Message)
		o.Next = &next
	}
	return o, t.requests
}

// has reports whether there is room for n more bytes.
func (t *trial) has(n int) bool {
	fits := t.room.Spend(n)
	t.omitted = t.omitted || !fits
	return fits
}

// value masks a value; nil when it is none of JSON, or without room.
func (t *trial) value(value any) any {
	encoded, err := json.Marshal(value)
	if err != nil || !t.has(len(encoded)) {
		return nil
	}
	return t.mask.tree(decoded(encoded))
}

// begin renders an api_call with a masked user context, without secrets, and returns its place
// among the requests. Rendering again hides values that the URL escapes.
func (t *trial) begin(ctx context.Context, u *run, a Action) (place int) {
	if t == nil {
		return 0
	}
	shown := *u
	shown.shown = true
	shown.scope, shown.missing, shown.budget, shown.outcome = maps.Clone(u.scope), map[string]bool{}, template.NewBudget(MaxAction-a.size()), Outcome{}
	shown.scope["user"] = t.user
	sent := Request{Method: a.method()}
	if request, err := shown.request(ctx, a); err == nil && t.has(request.size()) {
		sent.URL, sent.Headers = t.mask.Text(request.url), map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(request.header)) {
			sent.Headers[name] = t.mask.Text(request.header.Get(name))
		}
		if request.body != nil {
			sent.Body = t.mask.JSON(request.body)
		}
	}
	t.requests, t.begun = append(t.requests, sent), time.Now()
	return len(t.requests) - 1
}

// end adds the response.
func (t *trial) end(place int, r reply, attempts int) {
	if t == nil {
		return
	}
	sent := &t.requests[place]
	sent.Status, sent.Failed, sent.Attempts, sent.Took = r.status, r.failed, attempts, time.Since(t.begun)
	if text := r.text(maxAnswer); t.has(len(text)) {
		sent.Answer = t.mask.Text(text)
	}
}
