// Package page reads documents and runs the commands in them against a server, for tests.
package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/e2e/binary"
)

// Block is a fenced block of a document.
type Block struct{ Language, Text string }

var fence = regexp.MustCompile("(?ms)^( *)```([a-z]+)\n(.*?)^ *```$")

// Blocks returns the fenced blocks of a document that name a language, those of lists without their indentation.
func Blocks(text string) (found []Block) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		found = append(found, Block{m[2], strings.TrimPrefix(strings.ReplaceAll("\n"+m[3], "\n"+m[1], "\n"), "\n")})
	}
	return found
}

// Shell runs commands as documents have them, except for the server's address.
type Shell struct {
	Dir string // has what a checkout has, as links, and the server's data folder
	url string
}

// NewShell links the checkout at root, the program and the data folder of s into dir.
func NewShell(dir, root, program string, s *binary.Server) (*Shell, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		return nil, err
	}
	links := map[string]string{"bin/parley": program, "data": s.Dir}
	for _, name := range []string{"client", "docs", "examples", "go.mod", "go.sum", "internal", "third_party"} {
		links[name] = filepath.Join(root, name)
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return &Shell{dir, s.URL}, nil
}

// curl adds to each answer a line with its status and the request's method.
const curl = `curl() { command curl -w '\nHTTP %{http_code} %{method}\n' "$@"; }` + "\n"

// Run returns the standard output of commands, which all have to succeed. Of an answer that curl prints, the last line is as
// Accepted wants it.
func (s *Shell) Run(ctx context.Context, commands string, env ...string) (string, error) {
	c := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", curl+strings.ReplaceAll(commands, "http://127.0.0.1:8080", s.url))
	c.Dir, c.WaitDelay = s.Dir, 5*time.Second
	c.Env = append(s.Settings(), env...)
	var log strings.Builder
	c.Stderr = &log
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%w\n%s\n%s%s", err, commands, out, log.String())
	}
	return string(out), nil
}

// Settings are the environment of commands.
func (s *Shell) Settings() (env []string) {
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCACHE", "GOTMPDIR", "GOMODCACHE", "GOPATH", "GOFLAGS"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, "PARLEY_SERVER="+s.url)
}

var statusLine = regexp.MustCompile(`(?m)^HTTP (\d+) (\w+)$`)

// Accepted returns how many requests of curl were answered, and an error if one was not accepted, or with warnings.
func Accepted(out string) (int, error) {
	lines := statusLine.FindAllStringSubmatch(out, -1)
	for _, m := range lines {
		if m[1] != "201" && (m[1] != "202" || m[2] != "POST") && (m[1] != "200" || m[2] == "POST") {
			return len(lines), fmt.Errorf("%s was answered with %s\n%s", m[2], m[1], out)
		}
	}
	if strings.Contains(out, `"warnings"`) {
		return len(lines), fmt.Errorf("warnings: %s", out)
	}
	return len(lines), nil
}
