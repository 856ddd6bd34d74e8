package media

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"

	"github.com/livekit/protocol/logger"
	lksdk "github.com/livekit/server-sdk-go/v2"
)

// livekitLog forwards LiveKit's warnings and errors to slog, with the names of rooms, tracks and states only:
// identities, addresses and tokens are left out.
type livekitLog struct {
	logger.Logger // discards the other levels
	log           *slog.Logger
}

var loggable = map[string]bool{
	"room": true, "roomID": true, "pID": true, "participantID": true, "trackID": true, "nodeID": true,
	"reason": true, "state": true, "transport": true, "status": true, "attempt": true, "duration": true,
}

// private matches what LiveKit's messages may quote: join tokens, the addresses of participants, and what a client sent.
var private = regexp.MustCompile(`"[^"]*"|\x60[^\x60]*\x60|eyJ[\w-]+(\.[\w-]+)*|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?|\[?[0-9a-fA-F]*(:[0-9a-fA-F]*){3,}\]?(:\d+)?`)

// expectedErrors matches errors that LiveKit logs in normal operation: the first when a participant leaves, the others
// when a call ends while somebody joins its room.
var expectedErrors = regexp.MustCompile(`User Initiated Abort|request canceled|room has already closed`)

func redact(s string) string { return private.ReplaceAllString(s, "…") }

// redacted is an error without private data, for the log.
type redacted struct{ error }

func (r redacted) Error() string { return redact(r.error.Error()) }
func (r redacted) Unwrap() error { return r.error }

func newLivekitLog(l *slog.Logger) livekitLog {
	return livekitLog{Logger: logger.GetDiscardLogger(), log: l.With("component", "livekit")}
}

func filterKeys(kv []any) (allowed []any) {
	for i := 0; i+1 < len(kv); i += 2 {
		if k, ok := kv[i].(string); ok && loggable[k] {
			allowed = append(allowed, kv[i], kv[i+1])
		}
	}
	return allowed
}

func (l livekitLog) write(level slog.Level, msg string, err error, kv []any) {
	if !l.log.Enabled(context.Background(), level) {
		return
	}
	allowed := filterKeys(kv)
	if err != nil {
		if expectedErrors.MatchString(err.Error()) {
			return
		}
		allowed = append(allowed, "error", redact(err.Error()))
	}
	l.log.Log(context.Background(), level, redact(msg), allowed...)
}

func (l livekitLog) Warnw(msg string, err error, kv ...any)  { l.write(slog.LevelWarn, msg, err, kv) }
func (l livekitLog) Errorw(msg string, err error, kv ...any) { l.write(slog.LevelError, msg, err, kv) }

func (l livekitLog) WithValues(kv ...any) logger.Logger {
	allowed := filterKeys(kv)
	if len(allowed) == 0 {
		return l
	}
	return livekitLog{l.Logger, l.log.With(allowed...)}
}

func (l livekitLog) WithName(string) logger.Logger { return l }

// WithComponent silences pion, whose warnings report normal events of connections: pings before there is a pair,
// reads of a closed connection.
func (l livekitLog) WithComponent(name string) logger.Logger {
	if strings.HasPrefix(name, "pion") {
		return logger.GetDiscardLogger()
	}
	return l
}
func (l livekitLog) WithCallDepth(int) logger.Logger { return l }
func (l livekitLog) WithItemSampler() logger.Logger  { return l }
func (l livekitLog) WithoutSampler() logger.Logger   { return l }
func (l livekitLog) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return logger.GetDiscardLogger().WithDeferredValues()
}

var setLoggerOnce sync.Once

// setLogger sets the logger of LiveKit's packages. They keep it in package variables and read it without a lock, so
// only the first call has an effect.
func setLogger(l *slog.Logger) {
	setLoggerOnce.Do(func() {
		logger.SetLogger(newLivekitLog(l), "livekit")
		lksdk.SetLogger(newLivekitLog(l))
	})
}
