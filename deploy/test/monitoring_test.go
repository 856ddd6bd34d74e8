package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

// Prometheus itself accepts the alerts, the chart's rule, the queries of the boards, and the configuration that scrapes them.
func TestPrometheusAcceptsRules(t *testing.T) {
	promtool := filepath.Join(debianPackage(t, "prometheus"), "usr/bin/promtool")
	write := func(name string, content any) string {
		t.Helper()
		text, err := yaml.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	type group struct {
		Name  string `json:"name"`
		Rules []rule `json:"rules"`
	}
	type file struct {
		Groups []group `json:"groups"`
	}
	queries := boardQueries(t)
	if len(queries) < 25 {
		t.Errorf("%d queries were found", len(queries))
	}
	boards := group{Name: "boards"}
	for _, query := range queries {
		boards.Rules = append(boards.Rules, rule{"board", query})
	}
	chart := one[*monitoring.PrometheusRule](t, render(t, shapes["everything"]), "voice-parley")
	run(t, promtool, "check", "rules", root+"/deploy/monitoring/alerts.yml", write("chart.yml", chart.Spec))
	run(t, promtool, "check", "rules", "--lint=none", write("boards.yml", file{[]group{boards}}))
	run(t, promtool, "check", "config", "--syntax-only", root+"/deploy/compose/production/prometheus.yml")
	if out, err := try(t, promtool, "check", "rules", write("wrong.yml", file{[]group{{"wrong", []rule{{"wrong", "sum by status (calls_total)"}}}}})); err == nil {
		t.Errorf("a wrong query is accepted: %s", out)
	}
}

// boardQueries are the PromQL queries of the Grafana boards.
func boardQueries(t *testing.T) (queries []string) {
	t.Helper()
	paths, err := filepath.Glob(root + "/deploy/monitoring/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			Panels []struct {
				Targets []struct {
					Expr       string
					Datasource struct{ Type string }
				}
			}
		}
		if err := json.Unmarshal(text, &board); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, panel := range board.Panels {
			for _, target := range panel.Targets {
				if target.Datasource.Type == "prometheus" {
					queries = append(queries, target.Expr)
				}
			}
		}
	}
	return queries
}
