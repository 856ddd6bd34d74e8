package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/phones"
)

// A phone call that was on hold: its page shows the SIP messages as a ladder, the quality of the audio and the holds, and the command
// line prints the same messages.
func TestPageOfAPhoneCall(t *testing.T) {
	t.Parallel()
	const number = "+4930555000"
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	s, err := binary.Start(program, filepath.Join(dir, "data"), map[string]string{"PARLEY_DEMO": "true", "PARLEY_SIP_PORT": strconv.Itoa(port), "PARLEY_SIP_TRACE": "true"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := phones.Assign(t.Context(), s, number, "demo"); err != nil {
		t.Fatal(err)
	}
	audio, err := phones.NewAudio()
	if err != nil {
		t.Fatal(err)
	}
	defer audio.Close()
	script := new(phones.Script)
	script.Call().Pause(3 * time.Second).Reinvite(phones.SendOnly).Pause(time.Second).Reinvite(phones.SendRecv).Pause(4 * time.Second).HangUp()
	phone, err := phones.Start(dir, script, phones.Options{Calls: 1, AtOnce: 1, Rate: 1, SIPPort: port, Number: number, Ports: []int{audio.Port()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(phone.Kill)
	if code, err := phone.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("sipp exits with %d, %v\n%s", code, err, phones.Errors(dir))
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var call client.ListedCall
	for call.EndedAt == nil {
		listed, err := s.API.Calls.List(ctx, client.CallQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if len(listed.Items) == 1 {
			call = listed.Items[0]
		}
		time.Sleep(50 * time.Millisecond)
	}
	signIn := printedSignIn(t, s)
	screenshots := cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), dir)
	if out, err := exec.CommandContext(ctx, "node", "steered/phonecall.mjs", s.URL, signIn[1], signIn[2], screenshots, call.ID).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	list := exec.CommandContext(ctx, program, "calls", "sip", call.ID)
	list.Env = append(os.Environ(), "PARLEY_SERVER="+s.URL, "PARLEY_API_KEY="+s.Key)
	out, err := list.CombinedOutput()
	for _, want := range []string{"INVITE sip:" + number, "SIP/2.0 200", "ACK sip:", "BYE sip:"} {
		if err != nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("parley calls sip: %v, no %s in\n%s", err, want, out)
		}
	}
}
