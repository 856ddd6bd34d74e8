package dashboard

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/e2e/binary"
	"parley/e2e/page"
)

// The npm package of the widget is part of a page as its README has it: the page is built by Vite, and its visitor talks to the agent.
func TestWidgetInAPageWithABundler(t *testing.T) {
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := startDemo(t, program)
	built := filepath.Join(dir, "site", "dist")
	site := &shop{
		Server:      httptest.NewServer(http.FileServer(http.Dir(built))),
		screenshots: dir, question: recordQuestion(t, filepath.Join(dir, "question.wav")),
	}
	t.Cleanup(site.Close)
	token := site.allow(t, s.API, site.URL, 300).Token

	readme, err := os.ReadFile("../../web/widget/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var element, module string
	for _, b := range page.Blocks(string(readme)) {
		switch b.Language {
		case "html":
			element = b.Text
		case "js":
			module = b.Text
		}
	}
	for _, given := range [][2]string{{"https://voice.example.com", s.URL}, {"pk_…", token}} {
		if !strings.Contains(element, given[0]) {
			t.Fatalf("the README's element has no %s: %s", given[0], element)
		}
		element = strings.Replace(element, given[0], given[1], 1)
	}
	installWidget(t, filepath.Join(dir, "site", "node_modules", "parley-agent"))
	for name, text := range map[string]string{
		"index.html": `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>` + element + `</main><script type="module" src="/main.js"></script></html>`,
		"main.js":    module,
	} {
		if err := os.WriteFile(filepath.Join(dir, "site", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vite(t, "build", filepath.Join(dir, "site"), "--logLevel=warn")
	site.use(t, "bundled", nil)
}

// installWidget makes the package parley-agent in a folder, as npm installs it.
func installWidget(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	about, err := os.ReadFile("../../web/widget/package.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), about, 0o600); err != nil {
		t.Fatal(err)
	}
	vite(t, "build", "../../web/widget", "--mode=package", "--outDir="+filepath.Join(folder, "dist"), "--logLevel=warn")
}

// vite runs the bundler that the widget is built with.
func vite(t *testing.T, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "node", append([]string{"../../web/widget/node_modules/vite/bin/vite.js"}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("vite %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
