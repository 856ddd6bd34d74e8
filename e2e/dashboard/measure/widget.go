package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"parley/client"
	"parley/e2e/binary"
)

// measureWidget prints the figures of <parley-agent> for a parley binary. The sizes are those of web/dist/widget.
func measureWidget(path string) (err error) {
	dir, err := os.MkdirTemp("", "parley-measure-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := binary.Start(path, filepath.Join(dir, "data"), map[string]string{"PARLEY_DEMO": "true"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	token := ""
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		widget := ""
		if mode := r.FormValue("mode"); mode != "" {
			widget = fmt.Sprintf(`<script type="module" src="%s/widget.js"></script><parley-agent lang="en" mode="%s" token="%s"></parley-agent>`, s.URL, mode, token)
		}
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title>%s</html>`, widget)
	}))
	defer page.Close()
	workflow, often := "demo", 600
	made, err := s.API.PublicTokens.Create(context.Background(), client.NewPublicToken{WorkflowSlug: &workflow, Origins: []string{page.URL}, PerMinute: &often})
	if err != nil {
		return err
	}
	token = made.Token
	var files []string
	for _, pattern := range []string{"parley-agent-*.js", "livekit-*.js"} {
		found, err := filepath.Glob(filepath.Join("web", "dist", "widget", pattern))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("%d files %s in web/dist/widget", len(found), pattern)
		}
		files = append(files, found[0])
	}
	node := exec.Command("node", slices.Concat([]string{"e2e/dashboard/measure/widget.mjs", page.URL}, files)...)
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	return node.Run()
}
