package e2e

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// A call that has cost as much as it may ends with a sentence; one of a tenant whose budget is spent is not dispatched.
func TestACallEndsAtItsMaxCost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	prices := filepath.Join(dir, "prices.json")
	if err := os.WriteFile(prices, []byte(`{"currency":"EUR","prices":[{"kind":"tts","provider":"offline","model":"*","unit":"characters","price":"1","per":1000,"valid_from":"2020-01-01"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{"PARLEY_PRICES_FILE": prices, "PARLEY_DATA_DIR": filepath.Join(dir, "data"), "PARLEY_SPEECH_CACHE_BYTES": "0"}
	s := serve(t, settings["PARLEY_DATA_DIR"], settings)
	start := func(settings client.CallSettings) (*client.Dispatch, error) {
		return s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallSettings: settings})
	}
	d, err := start(client.CallSettings{MaxCost: "0.01"})
	if err != nil {
		t.Fatal(err)
	}
	joinSilently(t, d.URL, d.Token)
	awaitEnd(t, s, d.CallID, client.Completed, "budget")
	if said := entries(t, s, d.CallID, 2); !strings.HasPrefix(said[1].Content, "I am sorry, I have to end our call here.") {
		t.Errorf("the last words are %q", said[1].Content)
	}
	budget(t, settings, "0.01EUR")
	budgets, err := s.API.Limits.Budgets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sums, err := s.API.Analytics.Costs(t.Context(), client.AnalyticCostsQuery{GroupBy: "workflow"})
	if err != nil {
		t.Fatal(err)
	}
	if len(budgets) != 1 || len(sums) != 1 {
		t.Fatalf("budgets %+v, costs %+v", budgets, sums)
	}
	if b := budgets[0]; b.Period != "day" || b.Budget != "0.01" || b.Currency != "EUR" || b.Spent != sums[0].Known || b.PeriodEnd.Format(time.TimeOnly) != "00:00:00" {
		t.Errorf("%+v; calls have cost %s", b, sums[0].Known)
	}
	await(t, "the budget is spent", func() bool {
		_, err := start(client.CallSettings{})
		var refused *client.Error
		return errors.As(err, &refused) && refused.Status == http.StatusTooManyRequests && refused.Code == "budget_exhausted"
	})
	budget(t, settings, "off")
	await(t, "calls are dispatched without a budget", func() bool {
		_, err := start(client.CallSettings{})
		return err == nil
	})
}

// A phone call beyond the budget is refused with 503, so that the trunk tries elsewhere, and is not stored.
func TestPhoneBeyondTheBudget(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s, phone := serve(t, filepath.Join(t.TempDir(), "data"), ports), newSoftphone(t)
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "agent_name": "demo", "trunk_id": trunk.ID}, nil)
	commandOn(t, s.Dir, 0, "tenant", "set", "demo", "--budget-day", "0USD")
	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	phone.awaitOutput(t, "503")
	if calls, err := s.API.Calls.List(t.Context(), client.CallQuery{}); err != nil || calls.Total != 0 {
		t.Errorf("%+v, %v", calls, err)
	}
}

// budget sets the budget of a day of the demo tenant.
func budget(t *testing.T, settings map[string]string, amount string) {
	t.Helper()
	p, err := launch(settings, "tenant", "set", "demo", "--budget-day", amount)
	if err != nil {
		t.Fatal(err)
	}
	if code, err := p.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, p.Log.String())
	}
}
