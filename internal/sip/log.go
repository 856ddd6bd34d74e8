package sip

import (
	"context"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"github.com/livekit/protocol/logger"
)

// gatewayLog hands LiveKit's errors on to slog, without anything that tells who calls whom. What fails a call is told in
// the call's own error log; so its warnings, of which each such call makes some, are for those who look for them. Of errors
// each kind has a line a minute: strangers cause them, with messages that lack something, as often as they like.
type gatewayLog struct {
	logger.Logger // swallows what is not worth a line
	log           *slog.Logger
	told          *sync.Map // when, by the words, which are LiveKit's constants
}

// personal is what LiveKit's errors may quote: join tokens, SIP addresses, numbers, IP addresses.
var personal = regexp.MustCompile(`(?i)eyJ[\w-]+(\.[\w-]+)*|\bsips?:\S+|\+?\d{5,}|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?|\[?[0-9a-f]*(:[0-9a-f]*){3,}\]?(:\d+)?`)

func newGatewayLog(l *slog.Logger) gatewayLog {
	return gatewayLog{Logger: logger.GetDiscardLogger(), log: l.With("component", "sip"), told: new(sync.Map)}
}

func (l gatewayLog) write(level slog.Level, msg string, err error) {
	if !l.log.Enabled(context.Background(), level) {
		return
	}
	var more []any
	if err != nil {
		more = append(more, "error", personal.ReplaceAllString(err.Error(), "…"))
	}
	l.log.Log(context.Background(), level, personal.ReplaceAllString(msg, "…"), more...)
}

func (l gatewayLog) Warnw(msg string, err error, _ ...any) { l.write(slog.LevelDebug, msg, err) }
func (l gatewayLog) Errorw(msg string, err error, _ ...any) {
	level := slog.LevelWarn
	if last, told := l.told.Load(msg); told && time.Since(last.(time.Time)) < time.Minute {
		level = slog.LevelDebug
	} else {
		l.told.Store(msg, time.Now())
	}
	l.write(level, msg, err)
}
func (l gatewayLog) WithValues(...any) logger.Logger    { return l }
func (l gatewayLog) WithName(string) logger.Logger      { return l }
func (l gatewayLog) WithComponent(string) logger.Logger { return l }
func (l gatewayLog) WithCallDepth(int) logger.Logger    { return l }
func (l gatewayLog) WithItemSampler() logger.Logger     { return l }
func (l gatewayLog) WithoutSampler() logger.Logger      { return l }
func (l gatewayLog) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return logger.GetDiscardLogger().WithDeferredValues()
}
