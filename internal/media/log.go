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

// liveLog forwards LiveKit's warnings and errors to slog, with the names of rooms, tracks and states only:
// identities, addresses and tokens are left out.
type liveLog struct {
	logger.Logger // discards the other levels
	log           *slog.Logger
}

var loggable = map[string]bool{
	"room": true, "roomID": true, "pID": true, "participantID": true, "trackID": true, "nodeID": true,
	"reason": true, "state": true, "transport": true, "status": true, "attempt": true, "duration": true,
}

// private matches what LiveKit's messages may quote: join tokens and the addresses of participants.
var private = regexp.MustCompile(`eyJ[\w-]+(\.[\w-]+)*|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?|\[?[0-9a-fA-F]*(:[0-9a-fA-F]*){3,}\]?(:\d+)?`)

// normal matches errors that LiveKit logs although nothing failed: the first when a participant leaves, the others when a call ends
// while somebody enters its room.
var normal = regexp.MustCompile(`User Initiated Abort|request canceled|room has already closed`)

func redact(s string) string { return private.ReplaceAllString(s, "…") }

// redacted is an error without private data, for the log.
type redacted struct{ error }

func (r redacted) Error() string { return redact(r.error.Error()) }
func (r redacted) Unwrap() error { return r.error }

func newLiveLog(l *slog.Logger) liveLog {
	return liveLog{Logger: logger.GetDiscardLogger(), log: l.With("component", "livekit")}
}

func filterKeys(kv []any) (kept []any) {
	for i := 0; i+1 < len(kv); i += 2 {
		if k, ok := kv[i].(string); ok && loggable[k] {
			kept = append(kept, kv[i], kv[i+1])
		}
	}
	return kept
}

func (l liveLog) write(level slog.Level, msg string, err error, kv []any) {
	if !l.log.Enabled(context.Background(), level) {
		return
	}
	kept := filterKeys(kv)
	if err != nil {
		if normal.MatchString(err.Error()) {
			return
		}
		kept = append(kept, "error", redact(err.Error()))
	}
	l.log.Log(context.Background(), level, redact(msg), kept...)
}

func (l liveLog) Warnw(msg string, err error, kv ...any)  { l.write(slog.LevelWarn, msg, err, kv) }
func (l liveLog) Errorw(msg string, err error, kv ...any) { l.write(slog.LevelError, msg, err, kv) }

func (l liveLog) WithValues(kv ...any) logger.Logger {
	kept := filterKeys(kv)
	if len(kept) == 0 {
		return l
	}
	return liveLog{l.Logger, l.log.With(kept...)}
}

func (l liveLog) WithName(string) logger.Logger { return l }

// WithComponent silences pion, whose warnings report normal events of connections: pings before there is a pair,
// reads of a closed connection.
func (l liveLog) WithComponent(name string) logger.Logger {
	if strings.HasPrefix(name, "pion") {
		return logger.GetDiscardLogger()
	}
	return l
}
func (l liveLog) WithCallDepth(int) logger.Logger { return l }
func (l liveLog) WithItemSampler() logger.Logger  { return l }
func (l liveLog) WithoutSampler() logger.Logger   { return l }
func (l liveLog) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return logger.GetDiscardLogger().WithDeferredValues()
}

var setLoggerOnce sync.Once

// setLogger sets the logger of LiveKit's packages. They keep it in package variables and read it without a lock, so
// only the first call has an effect.
func setLogger(l *slog.Logger) {
	setLoggerOnce.Do(func() {
		logger.SetLogger(newLiveLog(l), "livekit")
		lksdk.SetLogger(newLiveLog(l))
	})
}
