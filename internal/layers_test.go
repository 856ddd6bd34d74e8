package internal_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers are those of docs/architecture.md, top first. A package imports packages of lower layers only; in the layers
// marked open, also others of the same layer. Tests may import anything.
var layers = []struct {
	open     bool
	packages string
}{
	{false, "app"},
	{false, "api worker postcall retention backup caller chat eval"},
	{false, "call live voice webhook analytics sip media recording provider"},
	{true, "mcpclient cost analysis plan control workflow agent tool prompt providerkey publictoken transferpage hook variable signing sound tenant auth audit"},
	{true, "event oidc audio answering transfer hearing dialogue template mergepatch seal database redis metrics speechcache tracing config fault inflight netguard redact leaktest health"},
}

// Exceptions, each with its reason.
var allowed = map[string]string{
	"eval chat":      "an evaluation is a series of chats",
	"live call":      "live streams show calls, by the read models that call owns",
	"analytics call": "analytics count calls, by the read models that call owns",
	"sip media":      "the gateway joins phones to rooms as any participant does",
}

// insideParts is what the packages of a part import of each other: voice, the session's loop, and sip, the gateway, import all
// of theirs.
var insideParts = map[string]map[string]string{
	"voice": {
		"voice":            "turn generation playout routing providers languageid",
		"voice/generation": "playout routing providers speechtext",
		"voice/playout":    "speechtext",
		"voice/providers":  "speechtext",
		"voice/recordings": "turn",
		"voice/trial":      "turn",
		"voice/turn":       "", "voice/routing": "", "voice/speechtext": "", "voice/languageid": "",
	},
	"sip": {
		"sip":           "negotiation useragent mediaport",
		"sip/useragent": "negotiation", "sip/mediaport": "negotiation", "sip/negotiation": "",
	},
}

func TestPackagesOfPartsImportOneWay(t *testing.T) {
	for path, imports := range packages(t) {
		from := strings.TrimPrefix(path, "parley/internal/")
		part, _, nested := strings.Cut(from, "/")
		table, isPart := insideParts[part]
		if !isPart || from == path {
			continue
		}
		allowed, inside := table[from]
		if !inside && nested {
			t.Errorf("%s is not in the table", path)
		}
		for _, imported := range imports {
			to := strings.TrimPrefix(imported, "parley/internal/"+part)
			if to != imported && (to == "" || to[0] == '/') && !slices.Contains(strings.Fields(allowed), strings.TrimPrefix(to, "/")) {
				t.Errorf("%s imports %s", path, imported)
			}
		}
	}
}

func TestPackagesImportLowerLayers(t *testing.T) {
	layerOf := map[string]int{}
	for i, layer := range layers {
		for name := range strings.FieldsSeq(layer.packages) {
			layerOf[name] = i
		}
	}
	for path, imports := range packages(t) {
		from, inside := packageUnderInternal(path)
		if _, listed := layerOf[from]; inside && !listed {
			t.Errorf("%s is in no layer: add it to the table", path)
		}
		for _, imported := range imports {
			to, ok := packageUnderInternal(imported)
			switch {
			case !ok || to == from:
			case path == "parley/client" || strings.HasPrefix(path, "parley/client/"):
				t.Errorf("%s imports %s: the client is for programs outside this module", path, imported)
			case !inside || allowed[from+" "+to] != "":
			case layerOf[to] < layerOf[from], layerOf[to] == layerOf[from] && !layers[layerOf[to]].open:
				t.Errorf("%s imports %s, which is not in a lower layer: declare an interface beside the caller", path, imported)
			}
		}
	}
}

// packageUnderInternal is the directory under internal that a package belongs to.
func packageUnderInternal(path string) (name string, inside bool) {
	name, inside = strings.CutPrefix(path, "parley/internal/")
	name, _, _ = strings.Cut(name, "/")
	return name, inside
}

// packages are this module's packages with what they import.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "parley/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found[p.ImportPath] = p.Imports
	}
}
