package e2e

import (
	"encoding/json"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pion/stun/v3"

	"parley/e2e/binary"
	"parley/internal/database/databasetest"
)

// diagnosis is what parley doctor --json prints.
type diagnosis struct {
	OK     bool `json:"ok"`
	Checks []struct{ Check, Status, Found, Advice string }
}

func diagnose(t *testing.T, settings map[string]string, args ...string) (d diagnosis) {
	t.Helper()
	p, err := launch(settings, append([]string{"doctor", "--json"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	code, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(p.Out.String()), &d); err != nil {
		t.Fatalf("%v: %s%s", err, p.Out.String(), p.Log.String())
	}
	if (code == 0) != d.OK {
		t.Errorf("exit code %d, ok is %v", code, d.OK)
	}
	return d
}

// finds checks that one of the findings of a check has a status and a text, and advice unless it is ok.
func (d diagnosis) finds(t *testing.T, check, status, text string) {
	t.Helper()
	for _, f := range d.Checks {
		if f.Check == check && f.Status == status && strings.Contains(f.Found, text) {
			if (f.Advice == "") != (status == "ok") {
				t.Errorf("%s: the advice is %q", check, f.Advice)
			}
			return
		}
	}
	t.Errorf("no finding of %s is %s with %q: %+v", check, status, text, d.Checks)
}

// The doctor finds nothing wrong before the first start and beside a running server, and changes nothing.
func TestDoctor(t *testing.T) {
	t.Parallel()
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	settings["PARLEY_DATA_DIR"] = dir
	d := diagnose(t, settings)
	if !d.OK {
		t.Errorf("before the first start: %+v", d)
	}
	d.finds(t, "http", "ok", "is free")
	d.finds(t, "media", "ok", "free: ")
	d.finds(t, "database", "ok", "first start")
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the data folder was made, %v", err)
	}
	serve(t, dir, settings)
	d = diagnose(t, settings)
	if !d.OK {
		t.Errorf("beside the server: %+v", d)
	}
	d.finds(t, "http", "ok", "the running server is ready")
	d.finds(t, "schema", "ok", "up to date")
	d.finds(t, "encryption key", "ok", "opens the data")
}

// The doctor names what is broken: settings, ports, keys, the database, Redis, LiveKit.
func TestDoctorFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	settings["PARLEY_DATA_DIR"] = filepath.Join(t.TempDir(), "data")
	with := func(more map[string]string) map[string]string {
		all := maps.Clone(settings)
		maps.Copy(all, more)
		return all
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	closed, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	nobody := net.JoinHostPort("127.0.0.1", strconv.Itoa(closed))
	secrets := map[string]string{"JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32)}

	diagnose(t, with(map[string]string{"JWT_SECRET": "short"})).finds(t, "settings", "failed", "JWT_SECRET")
	diagnose(t, with(map[string]string{"PARLEY_ADDR": "127.0.0.1:" + port})).finds(t, "http", "failed", "PARLEY_ADDR")
	diagnose(t, with(map[string]string{"PARLEY_RTC_PORT": port})).finds(t, "media", "failed", "PARLEY_RTC_PORT")
	diagnose(t, with(map[string]string{"REDIS_URL": "redis://" + nobody})).finds(t, "redis", "failed", "REDIS_URL")
	diagnose(t, with(map[string]string{"LIVEKIT_URL": "ws://" + nobody, "LIVEKIT_API_KEY": "k", "LIVEKIT_API_SECRET": strings.Repeat("s", 32)})).finds(t, "livekit", "failed", "LIVEKIT_URL")
	away := with(secrets)
	away["DATABASE_URL"] = "postgres://parley@" + nobody + "/parley"
	diagnose(t, away).finds(t, "database", "failed", "does not answer")
	empty := with(secrets)
	empty["DATABASE_URL"] = databasetest.EmptyPostgresURL(t)
	d := diagnose(t, empty)
	d.finds(t, "database", "ok", "role parley")
	d.finds(t, "schema", "warning", "migrations are pending")
	d.finds(t, "clock", "ok", "PostgreSQL's clock")
	diagnose(t, with(map[string]string{"PARLEY_PUBLIC_URL": "https://" + nobody, "PARLEY_ADDR": ":" + port})).finds(t, "certificate", "failed", "not reachable")
	diagnose(t, with(map[string]string{"PARLEY_PUBLIC_URL": "http://voice.example.com", "PARLEY_RTC_NODE_IP": "10.1.2.3"})).finds(t, "address", "warning", "a private address")
	diagnose(t, with(map[string]string{"PARLEY_PUBLIC_URL": "http://voice.example.com"})).finds(t, "certificate", "warning", "not https")

	// A database whose key is another one, or gone.
	s := serve(t, settings["PARLEY_DATA_DIR"], settings, "--without=worker")
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	diagnose(t, with(secrets)).finds(t, "encryption key", "failed", "ENCRYPTION_KEY is not the key")
	if err := os.Remove(filepath.Join(s.Dir, "encryption-key")); err != nil {
		t.Fatal(err)
	}
	diagnose(t, settings).finds(t, "encryption key", "failed", "is not set")
}

// The doctor compares the address that callers are told with the one at which a STUN server sees the machine.
func TestDoctorAsksSTUN(t *testing.T) {
	t.Parallel()
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	settings["PARLEY_DATA_DIR"] = filepath.Join(t.TempDir(), "data")
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			request := &stun.Message{Raw: slices.Clone(buf[:n])}
			seen := from.(*net.UDPAddr)
			if request.Decode() != nil {
				continue
			}
			if answer, err := stun.Build(request, stun.BindingSuccess, &stun.XORMappedAddress{IP: seen.IP, Port: seen.Port}); err == nil {
				_, _ = server.WriteTo(answer.Raw, from)
			}
		}
	}()
	diagnose(t, settings, "--stun", server.LocalAddr().String()).finds(t, "public address", "ok", "127.0.0.1")
	told := maps.Clone(settings)
	told["PARLEY_RTC_NODE_IP"] = "10.1.2.3"
	diagnose(t, told, "--stun", server.LocalAddr().String()).finds(t, "public address", "failed", "127.0.0.1, and callers are told to send media to 10.1.2.3")
}

// From another machine the doctor finds which ports of a server are reachable: those that the doctor there answers on, and none after it
// has ended.
func TestDoctorReach(t *testing.T) {
	t.Parallel()
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	rtp, err := binary.FreePortRow(5)
	if err != nil {
		t.Fatal(err)
	}
	settings["PARLEY_SIP_RTP_PORTS"] = strconv.Itoa(rtp) + "-" + strconv.Itoa(rtp+4)
	answering, err := launch(settings, "doctor", "--answer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(answering.Kill)
	await(t, "the doctor answers", func() bool { return strings.Contains(answering.Out.String(), "Answers on 10 ports") })
	d := diagnose(t, settings, "--reach", "127.0.0.1")
	if !d.OK || len(d.Checks) != 10 {
		t.Errorf("ports that answer: %+v", d)
	}
	d.finds(t, "udp "+settings["PARLEY_RTC_UDP_PORT"], "ok", "it sees this machine at 127.0.0.1:")
	d.finds(t, "udp "+strconv.Itoa(rtp+4), "ok", "audio of phone calls")
	if p, err := launch(settings, "doctor", "--answer"); err != nil {
		t.Fatal(err)
	} else if code, err := p.Wait(t.Context()); err != nil || code != 1 || !strings.Contains(p.Log.String(), "is in use") {
		t.Errorf("on ports in use: exit code %d, %v\n%s", code, err, p.Log.String())
	}
	if err := answering.Stop(); err != nil {
		t.Error(err)
	}
	d = diagnose(t, settings, "--reach", "127.0.0.1")
	if d.OK {
		t.Errorf("ports that nobody has: %+v", d)
	}
	d.finds(t, "udp "+settings["PARLEY_SIP_PORT"], "failed", "no answer (SIP)")
	d.finds(t, "tcp "+settings["PARLEY_SIP_PORT"], "failed", "no connection (SIP)")
}
