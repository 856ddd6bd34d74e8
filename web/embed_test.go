package web

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// A page that loads from another host would disclose its readers to that host, and be blank on a closed network.
func TestPagesLoadOnlyWhatIsEmbedded(t *testing.T) {
	loads := regexp.MustCompile(`(?:src|href|spec-url)="([^"]+)"`)
	for _, page := range []string{"swagger.html", "redoc.html"} {
		html, err := fs.ReadFile(Docs(), page)
		if err != nil {
			t.Fatalf("%v: the pages are built by `make build`", err)
		}
		found := loads.FindAllStringSubmatch(string(html), -1)
		if len(found) < 3 {
			t.Errorf("%s loads %d files, fewer than a documentation page needs", page, len(found))
		}
		for _, match := range found {
			if match[1] == "openapi.json" {
				continue
			}
			name, ours := strings.CutPrefix(match[1], "docs/")
			if !ours {
				t.Errorf("%s loads %s from outside docs/", page, match[1])
				continue
			}
			if _, err := fs.Stat(Docs(), name); err != nil {
				t.Errorf("%s loads %s: %v", page, match[1], err)
			}
		}
	}
}

func TestAnUnknownPageDoesNotExist(t *testing.T) {
	if _, err := fs.ReadFile(Docs(), "missing.html"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading missing.html: %v, want %v", err, fs.ErrNotExist)
	}
}
