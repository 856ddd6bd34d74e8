package api

import (
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/fault"
)

func TestWidget(t *testing.T) {
	const script = "export const widget = 1;"
	s := newService(t, func(d *Deps) {
		d.Widget = fstest.MapFS{"parley-agent-abc.js": {Data: []byte(script)}, "livekit-def.js": {Data: []byte("1")}}
	})
	w := s.do("", http.MethodGet, "/widget.js", "")
	if w.Code != http.StatusFound || w.Header().Get("Location") != "/widget/parley-agent-abc.js" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("/widget.js: %d, %v", w.Code, w.Header())
	}
	var described struct{ Script, Integrity string }
	s.want(s.do("", http.MethodGet, "/widget.json", ""), http.StatusOK, &described)
	sum := sha512.Sum384([]byte(script))
	if described.Integrity != "sha384-"+base64.StdEncoding.EncodeToString(sum[:]) {
		t.Errorf("described: %+v", described)
	}
	w = s.do("", http.MethodGet, described.Script, "")
	if h := w.Header(); w.Body.String() != script || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("Access-Control-Allow-Origin") != "*" || !strings.HasPrefix(h.Get("Content-Type"), "text/javascript") {
		t.Errorf("%s: %d, %v", described.Script, w.Code, h)
	}
	s.refused(s.do("", http.MethodGet, "/widget/none.js", ""), http.StatusNotFound, fault.NotFound)
}

func TestBinaryWithoutWidget(t *testing.T) {
	s := newService(t, func(d *Deps) { d.Widget = fstest.MapFS{} })
	s.refused(s.do("", http.MethodGet, "/widget.js", ""), http.StatusServiceUnavailable, fault.ServiceUnavailable)
}
