package app

import (
	"context"
	"errors"
	"io"
	"log"
	"log/slog"

	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/health"
	"parley/internal/media"
)

// openLog opens the process's log. It also receives what libraries write with Go's log package, and errors that they write to
// slog's default: sipgo, which the SIP gateway is built on, logs each message and each connection that a peer closes.
func openLog(c config.Server) *slog.Logger {
	l := slog.New(health.Calm(c.Logger().Handler(), isOutage))
	slog.SetDefault(slog.New(errorsOnly{l.Handler()}))
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(l.Handler(), slog.LevelWarn).Writer())
	return l
}

// errorsOnly forwards errors.
type errorsOnly struct{ slog.Handler }

func (h errorsOnly) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, level)
}
func (h errorsOnly) WithAttrs(attrs []slog.Attr) slog.Handler {
	return errorsOnly{h.Handler.WithAttrs(attrs)}
}
func (h errorsOnly) WithGroup(name string) slog.Handler {
	return errorsOnly{h.Handler.WithGroup(name)}
}

// isOutage reports whether an error means that a database, Redis or media server is unreachable.
func isOutage(err error) bool {
	return database.IsUnavailable(err) || errors.Is(err, media.ErrUnreachable) || errors.Is(err, media.ErrLost)
}

// logStart logs the roles and the configuration.
func (o Options) logStart(l *slog.Logger, role string) {
	l.Info("starting Parley", "version", o.Version, "role", role, "without", o.Without, slog.Group("settings", o.Config.Changed()...))
}

// out receives the startup message; it is discarded when the log is JSON.
func (o Options) out() io.Writer {
	if o.Config.LogFormat == "json" {
		return io.Discard
	}
	return o.Out
}
