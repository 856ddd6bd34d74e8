package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"parley/e2e/page"
	"parley/internal/signing"
)

// The lines of docs/tools.md for Node and Python, with the functions of the webhook receivers, accept the signature of a tool's request,
// and not that of a request to another path.
func TestSignaturesOfTools(t *testing.T) {
	const secret, body = "tlsec_of_a_test", `{"order": "47 <&> ä"}`
	document, err := os.ReadFile(filepath.Join(root, "docs", "tools.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for _, b := range page.Blocks(string(document)) {
		lines[b.Language] = b.Text
	}
	for _, receiver := range []struct {
		language, file, begin, function, end string
		command                              []string
	}{
		{
			"js", "receiver.mjs",
			`const { createHmac, timingSafeEqual } = require("node:crypto"); const secret = process.env.WEBHOOK_SECRET, tolerance = 300;
				const request = { method: "POST", url: "/orders?of=7" }, body = Buffer.from(process.env.BODY);`,
			`(?s)function verified\(.*?\n}\n`,
			`process.exit(verified(Buffer.concat([Buffer.from(signed), body]), process.env.SIGNATURE) ? 0 : 3);`, []string{"node", "-e"},
		},
		{
			"python", "receiver.py",
			"import hashlib, hmac, os, re, sys, time, types\nSECRET, TOLERANCE, body = os.environ['WEBHOOK_SECRET'].encode(), 300, os.environ['BODY'].encode()\n" +
				"self = types.SimpleNamespace(command='POST', path='/orders?of=7')\n",
			`(?s)def verified\(.*?\n\n`,
			"sys.exit(0 if verified(signed, os.environ['SIGNATURE']) else 3)\n", []string{"python3", "-c"},
		},
	} {
		t.Run(receiver.language, func(t *testing.T) {
			example, err := os.ReadFile(filepath.Join(root, "examples", "webhook-receiver", receiver.file))
			if err != nil {
				t.Fatal(err)
			}
			function := regexp.MustCompile(receiver.function).FindString(string(example))
			if function == "" || lines[receiver.language] == "" {
				t.Fatalf("%s has no function verified, or docs/tools.md no lines", receiver.file)
			}
			program := receiver.begin + "\n" + function + "\n" + lines[receiver.language] + receiver.end
			for address, want := range map[string]int{"https://api.example.com/orders?of=7": 0, "https://api.example.com/orders?of=8": 3} {
				signature := signing.Signature([]string{secret}, time.Now(), signing.RequestContent("POST", address, []byte(body)))
				run := exec.CommandContext(t.Context(), receiver.command[0], receiver.command[1], program)
				run.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret, "BODY="+body, "SIGNATURE="+signature)
				printed, _ := run.CombinedOutput()
				if code := run.ProcessState.ExitCode(); code != want {
					t.Errorf("a request to %s: exit code %d, want %d: %s", address, code, want, printed)
				}
			}
		})
	}
}
