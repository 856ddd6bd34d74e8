package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/internal/database/databasetest"
)

// A worker in a process without a SIP gateway dials through that of the server with the embedded media server: what the
// telephone network says of a number is how its call ends, and ringing that nobody answers is cancelled.
func TestWorkerDialsThroughTheServersGateway(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	env := trunk(network.address, "DATABASE_URL", databasetest.PostgresURL(t), "JWT_SECRET", strings.Repeat("j", 32), "ENCRYPTION_KEY", strings.Repeat("k", 32), "PARLEY_DEMO", "true")
	s := serve(t, filepath.Join(t.TempDir(), "data"), env, "--without=worker")
	secret, err := os.ReadFile(filepath.Join(s.Dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	env["LIVEKIT_URL"], env["LIVEKIT_API_KEY"], env["LIVEKIT_API_SECRET"] = "ws://127.0.0.1:"+s.RTCPort, "parley", strings.TrimSpace(string(secret))
	worker(t, env)
	awaitEnd(t, s, ring(t, s, busyNumber), client.Failed, "busy")

	ringing := ring(t, s, ringsNumber)
	network.awaitRequest(t, "INVITE", ringsNumber)
	if _, err := s.API.Calls.End(t.Context(), ringing); err != nil {
		t.Fatal(err)
	}
	network.awaitRequest(t, "CANCEL", ringsNumber)
}
