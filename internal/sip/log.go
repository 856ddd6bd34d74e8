package sip

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
)

// gatewayLog forwards LiveKit's errors to slog without personal data. Failures of a call are reported in the call's
// error log, so warnings, which every failed call causes, are logged at debug level. Each kind of error is logged
// once a minute, because remote peers can cause them at will with malformed messages.
type gatewayLog struct {
	logger.Logger // discards the other levels
	log           *slog.Logger
	lastWritten   *sync.Map // time of the last line, by message, which are constants of LiveKit
}

// errorText returns the text of an error without personal data and without what a peer sent: of a SIP status its number alone.
func errorText(err error) string {
	var status *livekit.SIPStatus
	if errors.As(err, &status) {
		return fmt.Sprintf("SIP %d", status.Code)
	}
	return personal.ReplaceAllString(err.Error(), "…")
}

// personal matches personal data in LiveKit's errors: join tokens, SIP addresses, phone numbers, IP addresses, and what is quoted.
var personal = regexp.MustCompile(`(?i)eyJ[\w-]+(\.[\w-]+)*|"[^"]*"|\x60[^\x60]*\x60|\bsips?:\S+|\+?\d{5,}|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?|\[?[0-9a-f]*(:[0-9a-f]*){3,}\]?(:\d+)?`)

func newGatewayLog(l *slog.Logger) gatewayLog {
	return gatewayLog{Logger: logger.GetDiscardLogger(), log: l.With("component", "sip"), lastWritten: new(sync.Map)}
}

func (l gatewayLog) write(level slog.Level, msg string, err error) {
	if !l.log.Enabled(context.Background(), level) {
		return
	}
	var more []any
	if err != nil {
		more = append(more, "error", errorText(err))
	}
	l.log.Log(context.Background(), level, personal.ReplaceAllString(msg, "…"), more...)
}

func (l gatewayLog) Warnw(msg string, err error, _ ...any) { l.write(slog.LevelDebug, msg, err) }
func (l gatewayLog) Errorw(msg string, err error, _ ...any) {
	level := slog.LevelWarn
	if last, logged := l.lastWritten.Load(msg); logged && time.Since(last.(time.Time)) < time.Minute {
		level = slog.LevelDebug
	} else {
		l.lastWritten.Store(msg, time.Now())
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
