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

// What the page of a transfer loads is beside it, and small: a person opens it while their phone rings.
func TestTransferPageLoadsLittle(t *testing.T) {
	html, err := fs.ReadFile(TransferPage(), "index.html")
	if err != nil {
		t.Fatalf("%v: the page is built by `make build`", err)
	}
	found := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(string(html), -1)
	size := int64(len(html))
	for _, match := range found {
		if match[1] == "data:," { // no icon
			continue
		}
		name, ours := strings.CutPrefix(match[1], "/transfer-page/")
		file, err := fs.Stat(TransferPage(), name)
		if !ours || err != nil {
			t.Fatalf("it loads %s: %v", match[1], err)
		}
		size += file.Size()
	}
	if len(found) < 3 || size > 30_000 {
		t.Errorf("it loads %d files of %d bytes in all", len(found), size)
	}
}

func TestAnUnknownPageDoesNotExist(t *testing.T) {
	if _, err := fs.ReadFile(Docs(), "missing.html"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading missing.html: %v, want %v", err, fs.ErrNotExist)
	}
}
