package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/e2e/emulated"
	"parley/internal/caller"
)

// newVendors runs emulated vendors that hear and answer every line of a caller. It returns the settings of a server that uses them.
func newVendors(t *testing.T) map[string]string {
	t.Helper()
	vendors, err := emulated.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := vendors.Stop(); err != nil {
			t.Error(err)
		}
	})
	return vendors.Settings
}

// newShop returns a key of a tenant with the agent "shop", which uses the emulated vendors.
func newShop(t *testing.T, s *binary.Server) (key string) {
	t.Helper()
	key = newTenant(t, s, "shop", "*")
	post(t, s, key, "/api/v1/agents", emulated.Agent("shop"))
	return key
}

// converse has so many callers at once talk to the agent "shop" for d once all have come. It calls beside once they have begun.
func converse(t *testing.T, s *binary.Server, key string, calls int, d time.Duration, beside func()) (figures caller.Figures) {
	t.Helper()
	ramp := time.Duration(calls) * 500 * time.Millisecond
	p, err := binary.Launch(program, map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": key}, "bench", "--json", "--agent", "shop",
		"--calls", fmt.Sprint(calls), "--ramp", ramp.String(), "--duration", d.String(), "--interrupt-after", "600ms")
	if err != nil {
		t.Fatal(err)
	}
	beside()
	ctx, cancel := context.WithTimeout(t.Context(), ramp+d+2*limit)
	defer cancel()
	if _, err := p.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(p.Out.String()), &figures); err != nil {
		t.Fatalf("parley bench: %v: %s", err, p.Log.String())
	}
	if figures.Failed > 0 {
		t.Log(p.Log.String())
	}
	return figures
}

// While all attacks run at once, calls of another tenant begin and lose no turn, and the server's memory stays within 250 MB of what it
// was before it had a tenant. Only at full size.
func TestAllAttacksAtOnce(t *testing.T) {
	if !full {
		return
	}
	sip, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{"PARLEY_SIP_PORT": fmt.Sprint(sip), "PARLEY_TRUSTED_PROXIES": proxyAddress, "PARLEY_WORKER_CAPACITY": "150", "PARLEY_LOG_LEVEL": "error"}
	maps.Copy(settings, newVendors(t))
	s, media := startPublic(t, settings)
	var figures caller.Figures
	busy, began := processorTime(t, s), time.Now()
	idle := memory(t, s)
	most := watchMemory(t, s, func() {
		key := newShop(t, s)
		a := newAttacked(t, s, media, fmt.Sprint(sip))
		var end func()
		figures = converse(t, s, key, 20, time.Minute, func() {
			yield(t)
			end = a.begin(t)
		})
		end()
	})
	t.Logf("%d calls, %d failed; %d turns, %d missed; voice to voice %s; dispatch to track %s", figures.Calls, figures.Failed, figures.Turns, figures.MissedTurns,
		quantiles(figures.VoiceToVoiceMS), quantiles(figures.DispatchMS))
	t.Logf("%d MB idle, at most %d MB more, %d MB more at the end; %.0f s of a processor in %.0f s", idle>>20, most>>20, (memory(t, s)-idle)>>20,
		(processorTime(t, s) - busy).Seconds(), time.Since(began).Seconds())
	if figures.Started != figures.Calls || figures.Failed > 0 || figures.Turns == 0 || figures.MissedTurns > 0 {
		t.Errorf("%+v", figures)
	}
	if most > 250<<20 {
		t.Errorf("%d MB more than before", most>>20)
	}
}

// yield gives this process, and what it starts from now on, the lowest priority: attackers have machines of their own.
func yield(t *testing.T) {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, 19); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
}

func quantiles(q caller.Quantiles) string {
	if q.P50 == nil || q.P95 == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f ms p50, %.0f ms p95", *q.P50, *q.P95)
}

// httpAddress is the host and port of a server's API.
func httpAddress(s *binary.Server) string { return strings.TrimPrefix(s.URL, "http://") }
