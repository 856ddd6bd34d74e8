package chaos

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/emulated"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/event"
	"parley/internal/provider/emulator"
	"parley/internal/seal"
)

// The processes that run analyses are killed while calls end: each analysis of each call has one result, which is that of its transcript
// and is charged once, and each call has one event call.analyzed. A language model whose answer was under way at a kill is asked again. On
// SQLite it is one server that is killed and started again, on PostgreSQL there are two workers that are killed in turn.
func TestKilledAnalyses(t *testing.T) { onEachDatabase(t, (*analyst).survive) }

// killable are the processes that run analyses.
type killable struct {
	api               func() *client.Client // of the server that runs now
	databaseURL, path string
	processes         []*binary.Process
	start             func() *binary.Process
}

// onEachDatabase runs a test with one server on SQLite, and with two workers on PostgreSQL.
func onEachDatabase(t *testing.T, test func(*analyst, killable)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir, model := filepath.Join(t.TempDir(), "data"), newAnalyst(t)
		env := map[string]string{"PARLEY_DEMO": "true", "PARLEY_LOG_LEVEL": "warn"}
		maps.Copy(env, model.settings)
		var api *client.Client
		start := func() *binary.Process {
			s, err := binary.Start(program, dir, env)
			if err != nil {
				t.Fatal(err)
			}
			api = s.API
			return s.Process
		}
		servers := []*binary.Process{start()}
		t.Cleanup(func() { servers[0].Kill() })
		test(model, killable{func() *client.Client { return api }, "", filepath.Join(dir, "parley.db"), servers, start})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		x, model := newExchange(t, "--without=worker"), newAnalyst(t)
		maps.Copy(x.env, model.settings)
		start := func() *binary.Process { return x.worker(t) }
		test(model, killable{func() *client.Client { return x.API }, x.env["DATABASE_URL"], "", []*binary.Process{start(), start()}, start})
	})
}

// kill kills the processes in turn, evenly over the next answers, and starts others.
func (k killable) kill(a *analyst, times, answers int) {
	a.Helper()
	answered := a.done()
	for n := range times {
		share := answered + answers*(n+1)/(times+1)
		await(a.T, time.Millisecond, fmt.Sprintf("%d answers", share), func() bool { return a.done() >= share })
		time.Sleep(rand.N(20 * time.Millisecond))
		k.processes[n%len(k.processes)].Kill()
		k.processes[n%len(k.processes)] = k.start()
	}
}

// analyst is an emulated language model that answers the analyses of names.
type analyst struct {
	*testing.T
	settings map[string]string // of servers that use it

	mu       sync.Mutex
	asked    map[string]int // how often, by call and analysis
	answered int            // complete answers
}

// names are the analyses of each call.
var names = []string{"first", "second"}

var saidNumber = regexp.MustCompile(`call number (\d+)`)

func newAnalyst(t *testing.T) *analyst {
	t.Helper()
	a := &analyst{T: t, asked: map[string]int{}}
	server := emulator.NewOpenAI(t, emulator.Options{Key: emulated.Key, Delay: 200 * time.Millisecond}, emulator.Script{Answer: a.answer, Ended: a.ended})
	t.Cleanup(server.Close)
	a.settings = map[string]string{"OPENAI_BASE_URL": server.URL, "OPENAI_API_KEY": emulated.Key}
	return a
}

// answer fills in the number that was said in the call.
func (a *analyst) answer(p dialogue.Prompt) emulator.Reply {
	name, number := names[0], saidNumber.FindStringSubmatch(p.Messages[0].Content)
	if strings.Contains(p.System, names[1]) {
		name = names[1]
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked[number[1]+name]++
	return emulator.Reply{Text: fmt.Sprintf(`{"data": {%q: %s}}`, name, number[1])}
}

func (a *analyst) ended(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.answered++
	}
}

func (a *analyst) done() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answered
}

// prepare creates the analyses and an agent that has them run after its calls, and opens the database.
func (a *analyst) prepare(k killable, ofAgent ...string) (db *database.DB, tenantID string) {
	a.Helper()
	agent := emulated.Agent("analysed")
	agent.Config.Analyses = ofAgent
	for _, name := range names {
		schema := map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "integer"}}, "required": []string{name}}
		if _, err := k.api().Analyses.Create(a.Context(), client.NewAnalysis{Name: name, Schema: schema}); err != nil {
			a.Fatal(err)
		}
	}
	if _, err := k.api().Agents.Create(a.Context(), agent); err != nil {
		a.Fatal(err)
	}
	db, err := database.Open(a.Context(), k.databaseURL, k.path)
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { db.Close() })
	return db, rows[string](a.T, db, "SELECT tenant_id FROM agents WHERE name = 'analysed'")[0]
}

// survive ends calls, kills the processes meanwhile, and checks the results.
func (a *analyst) survive(k killable) {
	a.Helper()
	kills, calls := size(5, 50), size(100, 1000)
	db, tenantID := a.prepare(k, names...)
	began, numbers := time.Now(), map[string]int{}
	var ending sync.WaitGroup
	ending.Go(func() { numbers = a.end(db, tenantID, calls) })
	k.kill(a, kills, calls*len(names))
	ending.Wait()
	await(a.T, 200*time.Millisecond, "no analysis is pending", func() bool {
		return len(rows[string](a.T, db, "SELECT id FROM call_analyses WHERE status = 'pending'")) == 0
	})
	if again := a.check(db, numbers, 1); !a.Failed() {
		a.Logf("%d kills during the %d analyses of %d calls in %s: none lost, none twice; %d answers were under way at a kill, and asked for again",
			kills, calls*len(names), calls, time.Since(began).Round(time.Second), again)
	}
}

// end holds and ends calls, as a worker does that is not killed, and returns the number that was said in each.
func (a *analyst) end(db *database.DB, tenantID string, n int) (numbers map[string]int) {
	numbers = map[string]int{}
	bus := event.NewBus()
	sealer, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		a.Error(err)
		return numbers
	}
	service := call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour})
	for len(numbers) < n && !a.Failed() {
		_, _, err := service.Dispatch(a.Context(), call.Request{TenantID: tenantID, AgentName: "analysed", CallType: call.VoIP, Livemode: true})
		if err != nil {
			a.Errorf("dispatch: %v", err)
			return numbers
		}
		claimed, err := service.Claim(a.Context(), "unharmed", 1)
		if err != nil {
			a.Errorf("claim: %v", err)
			return numbers
		}
		if len(claimed) == 0 {
			continue // a worker under test was faster
		}
		number := len(numbers)
		if err := a.hold(service, claimed[0].Lease(), number); err != nil {
			a.Errorf("hold call %d: %v", number, err)
			return numbers
		}
		numbers[claimed[0].ID] = number
	}
	return numbers
}

// hold has a number said in a call, and ends it.
func (a *analyst) hold(service *call.Service, lease call.Lease, number int) error {
	for _, step := range []func(context.Context, call.Lease) error{service.MarkConnecting, service.MarkActive} {
		if err := step(a.Context(), lease); err != nil {
			return err
		}
	}
	said := call.TranscriptEntry{Role: "user", Content: "This is call number " + strconv.Itoa(number)}
	if err := service.Record(a.Context(), lease, call.Records{Handoffs: []call.Handoff{{Agent: "analysed"}}, Entries: []call.TranscriptEntry{said}}); err != nil {
		return err
	}
	_, err := service.Finish(a.Context(), lease, call.CallerHangup)
	return err
}

// check compares all results, events and costs with the calls, which have so many events each, and returns how many answers were asked for
// again.
func (a *analyst) check(db *database.DB, numbers map[string]int, eventsOfCall int) (again int) {
	type result struct{ CallID, Name, Status, Data string }
	results := map[string]result{}
	for _, r := range rows[result](a.T, db, "SELECT call_id, name, status, COALESCE(CAST(data AS text), '') AS data FROM call_analyses") {
		if _, twice := results[r.CallID+r.Name]; twice {
			a.Errorf("call %s has two results of %s", r.CallID, r.Name)
		}
		results[r.CallID+r.Name] = r
	}
	counted := func(query string, args ...any) map[string]int {
		counts := map[string]int{}
		for _, id := range rows[string](a.T, db, query, args...) {
			counts[id]++
		}
		return counts
	}
	events := counted("SELECT call_id FROM events WHERE type = ?", event.CallAnalyzed)
	charges := counted("SELECT call_id FROM call_costs WHERE kind = 'analysis' AND unit = 'output_tokens'")
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, number := range numbers {
		for _, name := range names {
			r, want := results[id+name], fmt.Sprintf(`{%q: %d}`, name, number)
			if r.Status != "done" || strings.ReplaceAll(r.Data, " ", "") != strings.ReplaceAll(want, " ", "") {
				a.Errorf("the analysis %s of call %d: %+v", name, number, r)
			}
			if n := a.asked[strconv.Itoa(number)+name]; n > 1 {
				again += n - 1
			}
		}
		if events[id] != eventsOfCall || charges[id] != len(names) {
			a.Errorf("call %d: %d events, %d of %d analyses charged", number, events[id], charges[id], len(names))
		}
	}
	return again
}

// rows reads from a database.
func rows[T any](t *testing.T, db *database.DB, query string, args ...any) (read []T) {
	t.Helper()
	if err := db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw(query, args...).Scan(ctx, &read)
	}); err != nil && !database.NoRows(err) {
		t.Fatal(err)
	}
	return read
}
