package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// alert is a rule of deploy/monitoring/alerts.yml.
type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) (found []alert) {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []alert
		}
	}
	if err := yaml.Unmarshal([]byte(document(t, "deploy/monitoring/alerts.yml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		found = append(found, g.Rules...)
	}
	return found
}

// boards are the queries of the Grafana boards, by the kind of their data source.
func boards(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("../deploy/monitoring/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	found := map[string][]string{}
	for _, path := range paths {
		var board struct {
			Links []struct {
				URL string `json:"url"`
			} `json:"links"`
			Panels []struct {
				Title   string
				Targets []struct {
					Expr       string
					Datasource struct{ Type string }
				}
			}
		}
		if err := json.Unmarshal([]byte(document(t, strings.TrimPrefix(path, "../"))), &board); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		timeline := false
		for _, l := range board.Links {
			timeline = timeline || l.URL == "${parley}/calls/${call}"
		}
		if !timeline {
			t.Errorf("%s has no link to a call's timeline", path)
		}
		for _, p := range board.Panels {
			for _, target := range p.Targets {
				found[target.Datasource.Type] = append(found[target.Datasource.Type], target.Expr)
			}
		}
	}
	return found
}

var (
	// selector is a series in a PromQL expression, with its matchers.
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})?`)
	matcher  = regexp.MustCompile(`([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
	grouping = regexp.MustCompile(`\b(by|without)\s*\(([^)]*)\)`)
	quantity = regexp.MustCompile(`\[[0-9a-z]+\]`)
)

// promQL are the functions and operators that the queries use.
var promQL = strings.Fields("sum rate increase max min histogram_quantile and or unless")

// series are those of a running server, each with the values of its labels.
type series map[string][]map[string]string

// check compares a query with the series: each name exists, each label that it groups by or matches is one of the series',
// and a label's values exist.
func (s series) check(expr string) (faults []string) {
	if strings.Count(expr, "(") != strings.Count(expr, ")") {
		faults = append(faults, "parentheses do not match")
	}
	var grouped []string
	for _, m := range grouping.FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(m[2], ",") {
			grouped = append(grouped, strings.TrimSpace(label))
		}
	}
	rest := quantity.ReplaceAllString(grouping.ReplaceAllString(expr, ""), "")
	names := 0
	for _, m := range selector.FindAllStringSubmatch(rest, -1) {
		name, matchers := m[1], matcher.FindAllStringSubmatch(m[2], -1)
		if slices.Contains(promQL, name) {
			continue
		}
		names++
		if name == "up" { // of Prometheus itself
			continue
		}
		if len(s[name]) == 0 {
			faults = append(faults, "there is no series "+name)
			continue
		}
		for _, label := range grouped {
			if _, ok := s[name][0][label]; !ok && label != "instance" {
				faults = append(faults, fmt.Sprintf("%s has no label %s", name, label))
			}
		}
		for _, condition := range matchers {
			want := regexp.MustCompile("^(?:" + condition[3] + ")$")
			if strings.HasSuffix(condition[2], "=") && !strings.Contains(condition[2], "!") {
				want = regexp.MustCompile("^" + regexp.QuoteMeta(condition[3]) + "$")
			}
			if !slices.ContainsFunc(s[name], func(labels map[string]string) bool { return want.MatchString(labels[condition[1]]) }) && !strings.Contains(condition[3], "5..") {
				faults = append(faults, fmt.Sprintf("no series %s has %s", name, condition[0]))
			}
		}
	}
	if names == 0 {
		faults = append(faults, "no series is named")
	}
	return faults
}

// Every query of the alerts and the boards names series, labels and values that a running server has.
func TestMonitoringNamesSeries(t *testing.T) {
	t.Parallel()
	const token = "a-token-of-the-test-of-the-boards"
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_METRICS_TOKEN": token}, "--without=worker")
	begin(t, s)
	ask(t, s, "POST", "/api/v1/calls", object{"workflow_slug": "demo"}, nil)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v: %s", answer.Status, err, text)
	}
	have := readSeries(string(text))
	have["worker_calls"] = []map[string]string{{}} // of a process with a worker, TestWorkerListener
	queries := boards(t)["prometheus"]
	for _, a := range alerts(t) {
		queries = append(queries, a.Expr)
	}
	if len(queries) < 40 {
		t.Errorf("%d queries were found", len(queries))
	}
	for _, q := range queries {
		for _, fault := range have.check(q) {
			t.Errorf("%s: %s", q, fault)
		}
	}
	// The check finds what is wrong.
	for _, q := range []string{"sum(rate(call_total[5m]))", "sum by (state) (calls_total)", `calls_total{status="lost"}`, "sum(calls_total", "1 > 0"} {
		if len(have.check(q)) == 0 {
			t.Errorf("nothing is wrong with %s", q)
		}
	}
}

var sample = regexp.MustCompile(`(?m)^([a-zA-Z_]\w*)(\{.*\})? \S+$`)

// readSeries reads Prometheus's text format.
func readSeries(text string) series {
	have := series{}
	for _, m := range sample.FindAllStringSubmatch(text, -1) {
		labels := map[string]string{}
		for _, pair := range matcher.FindAllStringSubmatch(m[2], -1) {
			labels[pair[1]] = pair[3]
		}
		have[m[1]] = append(have[m[1]], labels)
	}
	return have
}

// Each alert has a section of the runbook, to which it leads, and each section an alert. Prometheus's own tool accepts the
// file, where it is installed.
func TestRunbookHasEveryAlert(t *testing.T) {
	t.Parallel()
	var sections, names []string
	for line := range strings.Lines(document(t, "docs/runbook.md")) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			sections = append(sections, strings.TrimSpace(title))
		}
	}
	for _, a := range alerts(t) {
		names = append(names, a.Alert)
		if a.Annotations["summary"] == "" || a.Annotations["runbook"] != "docs/runbook.md#"+strings.ToLower(a.Alert) || a.Labels["severity"] != "page" && a.Labels["severity"] != "ticket" {
			t.Errorf("alert %s: %+v", a.Alert, a)
		}
	}
	if !slices.Equal(sections, names) {
		t.Errorf("docs/runbook.md has the sections %q, the alerts are %q", sections, names)
	}
	text := document(t, "docs/runbook.md")
	for _, part := range []string{"**Meaning.**", "**Look at**", "**Do.**"} {
		if n := strings.Count(text, part); n != len(names) {
			t.Errorf("%d sections have %s, want %d", n, part, len(names))
		}
	}
	if tool, err := exec.LookPath("promtool"); err == nil {
		if out, err := exec.CommandContext(t.Context(), tool, "check", "rules", "../deploy/monitoring/alerts.yml").CombinedOutput(); err != nil {
			t.Errorf("promtool: %v: %s", err, out)
		}
	}
}
