package app

import (
	"errors"
	"io"
	"log"
	"log/slog"

	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/health"
	"parley/internal/media"
)

// openLog opens the process's log. Go's log package and slog's default write to it too.
func openLog(c config.Server) *slog.Logger {
	l := slog.New(health.Calm(c.Logger().Handler(), isOutage))
	slog.SetDefault(l)
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(l.Handler(), slog.LevelWarn).Writer())
	return l
}

// isOutage reports whether an error means that a database, Redis or media server is unreachable.
func isOutage(err error) bool {
	return database.IsUnavailable(err) || errors.Is(err, media.ErrUnreachable) || errors.Is(err, media.ErrLost)
}

// logStart logs the roles and the configuration.
func (o Options) tellStart(l *slog.Logger, role string) {
	l.Info("parley starts", "version", o.Version, "role", role, "without", o.Without, slog.Group("settings", o.Config.Changed()...))
}

// out receives the startup message; it is discarded when the log is JSON.
func (o Options) out() io.Writer {
	if o.Config.LogFormat == "json" {
		return io.Discard
	}
	return o.Out
}
