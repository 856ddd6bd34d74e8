package health

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// calmAfter is how long a message must be absent for the next one to count as another outage.
const calmAfter = 30 * time.Second

// Calm is a slog handler that passes on only the first of each message about an outage; repetitions within
// calmAfter are logged at level debug. away decides by the attribute "error" whether a message is about an outage.
// Recoveries are logged by the Monitor or the component itself.
func Calm(next slog.Handler, away func(error) bool) slog.Handler {
	return calm{next, away, &last{at: map[string]time.Time{}}}
}

type calm struct {
	slog.Handler
	away func(error) bool
	last *last
}

// last is the times of the last messages.
type last struct {
	mu sync.Mutex
	at map[string]time.Time // by message, of which there are few
}

// again records a message, and reports whether it is a repetition.
func (l *last) again(message string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, known := l.at[message]
	l.at[message] = now
	return known && now.Sub(before) < calmAfter
}

// Handle implements slog.Handler.
func (h calm) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && h.ofOutage(r) && h.last.again(r.Message, time.Now()) {
		if r.Level = slog.LevelDebug; !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

func (h calm) ofOutage(r slog.Record) (away bool) {
	r.Attrs(func(a slog.Attr) bool {
		if err, isError := a.Value.Any().(error); isError && a.Key == "error" {
			away = h.away(err)
		}
		return !away
	})
	return away
}

// WithAttrs implements slog.Handler.
func (h calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return calm{h.Handler.WithAttrs(attrs), h.away, h.last}
}

// WithGroup implements slog.Handler.
func (h calm) WithGroup(name string) slog.Handler {
	return calm{h.Handler.WithGroup(name), h.away, h.last}
}
