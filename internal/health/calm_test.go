package health_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/health"
)

// The log has each message of each check once per outage, however often and by whichever logger it is written; the next outage is logged again,
// and what is no outage always.
func TestCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		log := slog.New(health.Calm(slog.NewTextHandler(&written, nil), func(err error) bool { return errors.Is(err, io.EOF) }))
		count := func(what string, want int) {
			t.Helper()
			if n := strings.Count(written.String(), what); n != want {
				t.Errorf("%q stands %d times in the log, want %d:\n%s", what, n, want, &written)
			}
		}
		for range 100 {
			log.Error("claim", "error", io.EOF)
			log.With("call", "c").Warn("renew", "error", io.EOF)
			log.Error("claim", "error", errors.New("no such column"))
			log.Error("fails", "check", "media", "error", io.EOF)
			log.Error("fails", "check", "phone", "error", io.EOF)
			time.Sleep(time.Second)
		}
		count("msg=claim error=EOF", 1)
		count("msg=renew", 1)
		count("no such column", 100)
		count("check=media", 1)
		count("check=phone", 1)
		time.Sleep(time.Minute)
		log.Error("claim", "error", io.EOF)
		count("msg=claim error=EOF", 2)
	})
}
