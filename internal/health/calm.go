package health

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// calmAfter is how long a message must be absent for the next one to count as another outage.
const calmAfter = 30 * time.Second

// Calm returns a slog handler that keeps the level of only the first of each message about an outage; repetitions within
// calmAfter are logged at level debug. The same message about another check (the attribute "check") counts separately. away
// reports whether the attribute "error" is of an outage.
// Recoveries are logged by the Monitor or the component itself.
func Calm(next slog.Handler, away func(error) bool) slog.Handler {
	return calm{next, away, &last{at: map[subject]time.Time{}}}
}

type calm struct {
	slog.Handler
	away func(error) bool
	last *last
}

// last is the times of the last messages.
type last struct {
	mu sync.Mutex
	at map[subject]time.Time
}

// subject is what a message is about. There are few.
type subject struct{ message, check string }

// again records a message, and reports whether it is a repetition.
func (l *last) again(s subject, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, known := l.at[s]
	l.at[s] = now
	return known && now.Sub(before) < calmAfter
}

// Handle implements slog.Handler.
func (h calm) Handle(ctx context.Context, r slog.Record) error {
	if about, away := h.outage(r); r.Level >= slog.LevelWarn && away && h.last.again(about, time.Now()) {
		if r.Level = slog.LevelDebug; !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

// outage returns what a message is about, and whether its error is of an outage.
func (h calm) outage(r slog.Record) (about subject, away bool) {
	about.message = r.Message
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "error":
			err, isError := a.Value.Any().(error)
			away = isError && h.away(err)
		case "check":
			about.check = a.Value.String()
		}
		return true
	})
	return about, away
}

// WithAttrs implements slog.Handler.
func (h calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return calm{h.Handler.WithAttrs(attrs), h.away, h.last}
}

// WithGroup implements slog.Handler.
func (h calm) WithGroup(name string) slog.Handler {
	return calm{h.Handler.WithGroup(name), h.away, h.last}
}
