package internal_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// markdown are the documents of the repository, by path from its root.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "clients/*/*.md", "examples/*.md", "examples/*/*.md", ".github/*.md", ".github/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found[strings.TrimPrefix(path, "../")] = string(text)
		}
	}
	return found
}

var (
	fenced      = regexp.MustCompile("(?ms)^```.*?^```$")
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	punctuation = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the names by which GitHub links to a document's headings.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		title := link.ReplaceAllString(m[1], "]")
		found[strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(title), ""), " ", "-")] = true
	}
	return found
}

func TestLinksOfDocuments(t *testing.T) {
	documents := markdown(t)
	for page, text := range documents {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			target, anchor, _ := strings.Cut(m[1], "#")
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join("..", path)); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if anchor != "" && !anchors(documents[path])[anchor] {
				t.Errorf("%s links to %s, and there is no such heading", page, m[1])
			}
		}
	}
}

// Tests and benchmarks that documents name exist.
func TestDocumentsNameTests(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
	tests := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Benchmark)[A-Z]\\w+)`")
	for page, text := range markdown(t) {
		if page == "CHANGELOG.md" {
			continue // of its time
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}

// The ways through a conversation in docs/architecture.md name files that exist, five at most.
func TestArchitectureShowsWays(t *testing.T) {
	_, table, found := strings.Cut(markdown(t)["docs/architecture.md"], "| way | files |\n|---|---|\n")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("there is no table of ways")
	}
	for row := range strings.Lines(table) {
		files := regexp.MustCompile("`([a-z_/]+\\.go)`").FindAllStringSubmatch(row, -1)
		if len(files) < 3 || len(files) > 5 {
			t.Errorf("%d files: %s", len(files), row)
		}
		for _, file := range files {
			if _, err := os.Stat(filepath.Join("voice", file[1])); err != nil {
				t.Errorf("%s does not exist: %s", file[1], row)
			}
		}
	}
}

// The diagram of docs/architecture.md shows each package of internal once, in the layer that its imports allow, and the table
// describes each.
func TestArchitectureShowsPackages(t *testing.T) {
	text := markdown(t)["docs/architecture.md"]
	layers := regexp.MustCompile(`(?ms)^ +subgraph [^\n]*\n(.*?)^ +end$`).FindAllStringSubmatch(text, -1)
	layerOf := map[string]int{}
	for n, layer := range layers {
		for name := range strings.FieldsSeq(strings.ReplaceAll(layer[1], "~~~", " ")) {
			if _, label, labelled := strings.Cut(name, `["`); labelled { // call is a keyword of mermaid's
				name = strings.TrimSuffix(label, `"]`)
			}
			if _, twice := layerOf[name]; twice {
				t.Errorf("the diagram shows %s twice", name)
			}
			layerOf[name] = n
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	if shown := slices.Sorted(maps.Keys(layerOf)); !slices.Equal(shown, folders) {
		t.Errorf("the diagram shows %q, the packages are %q", shown, folders)
	}
	for _, name := range folders {
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + name + "`").MatchString(text) {
			t.Errorf("the table does not describe %s", name)
		}
	}
	parts, err := filepath.Glob("voice/*/*.go")
	if err != nil || len(parts) == 0 {
		t.Fatal(parts, err)
	}
	for _, path := range parts {
		if folder := filepath.Dir(path); folder != "voice/testdata" && !strings.Contains(text, "\n| `"+folder+"` |") {
			t.Errorf("the table does not describe %s", folder)
		}
	}
	output, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "parley/internal/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	top := func(path string) (string, bool) {
		rest, inside := strings.CutPrefix(path, "parley/internal/")
		name, _, _ := strings.Cut(rest, "/")
		return name, inside
	}
	for line := range strings.Lines(string(output)) {
		paths := strings.Fields(line)
		from, _ := top(paths[0])
		for _, path := range paths[1:] {
			if to, inside := top(path); inside && layerOf[to] < layerOf[from] {
				t.Errorf("%s imports %s, which the diagram shows above it", from, to)
			}
		}
	}
}

// The index of the decisions lists each record with its title.
func TestDecisionsAreListed(t *testing.T) {
	documents := markdown(t)
	index := documents["docs/decisions/README.md"]
	for page, text := range documents {
		name, is := strings.CutPrefix(page, "docs/decisions/0")
		if !is {
			continue
		}
		name = "0" + name
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		number, title, _ := strings.Cut(title, ". ")
		if row := "| [" + name[:4] + "](" + name + ") | " + title + " |\n"; !strings.Contains(index, row) || strings.TrimLeft(name[:4], "0") != number {
			t.Errorf("the index lacks the row %s", row)
		}
	}
}

// The table of docs/metrics.md has the series that internal/metrics exports, and no others.
func TestMetricsDocumentHasTheSeries(t *testing.T) {
	exported := map[string]bool{}
	literal := regexp.MustCompile(`"([a-z]+(?:_[a-z]+)*_(?:total|seconds|waiting|flight|leases|slots|free|calls|connections|max|ratio|mos|bytes))"`)
	paths, err := filepath.Glob("metrics/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, m := range literal.FindAllStringSubmatch(string(source), -1) {
			exported[m[1]] = true
		}
	}
	described := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\|").FindAllStringSubmatch(markdown(t)["docs/metrics.md"], -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			described[strings.Trim(name, "`")] = true
		}
	}
	if have, want := slices.Sorted(maps.Keys(described)), slices.Sorted(maps.Keys(exported)); !slices.Equal(have, want) {
		t.Errorf("docs/metrics.md has %q, exported are %q", have, want)
	}
}
