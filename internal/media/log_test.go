package media

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// LiveKit's errors are logged without identities, addresses and tokens; those of a call that ends while somebody enters its room are
// left out.
func TestLiveKitLog(t *testing.T) {
	var out bytes.Buffer
	l := newLivekitLog(slog.New(slog.NewTextHandler(&out, nil)))
	for _, err := range []string{"User Initiated Abort: Close called", "request canceled", "room has already closed"} {
		l.Errorw("could not handle new participant", errors.New(err), "room", "call-1")
	}
	if out.Len() > 0 {
		t.Errorf("the end of a call is logged:\n%s", out.String())
	}
	l.Errorw("could not handle new participant", errors.New("no answer from 192.0.2.7:7881"), "room", "call-1", "participant", "Alice")
	for _, want := range []string{"level=ERROR", "room=call-1", `error="no answer from …"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "Alice") {
		t.Errorf("an identity is logged: %s", out.String())
	}
}
