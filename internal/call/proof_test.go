package call

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// untold are reasons that nothing gives yet: they are what a gateway to the telephone network says of a number.
var untold = map[Reason]bool{RingTimeout: true, Busy: true, Declined: true, InvalidNumber: true}

// proofs says which test shows that a transition can be reached, for every reason that may lead to it: package and test.
var proofs = map[transitionOf]string{
	{Pending, Connecting, NoReason}: "e2e TestSpokenCall",
	{Connecting, Active, NoReason}:  "e2e TestSpokenCall",

	{Pending, Failed, NoWorker}:       "e2e TestNoWorkerTakesTheCall",
	{Pending, Failed, ProviderError}:  "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, NoTrunk}:        "e2e TestPhoneCallsThatCannotBePlaced",
	{Pending, Failed, EndedByAPI}:     "e2e TestEndsBeforeAConversation",
	{Pending, Failed, WorkerLost}:     "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, ServerShutdown}: "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, CallerHangup}:   "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, ConnectionLost}: "internal/worker TestEndsOfPendingCalls",
	{Pending, Timeout, JoinTimeout}:   "e2e TestCallerNeverJoins",

	{Connecting, Failed, ProviderError}:  "e2e TestVendorsKeys",
	{Connecting, Failed, EndedByAPI}:     "e2e TestEndsBeforeAConversation",
	{Connecting, Failed, WorkerLost}:     "internal/call TestReaper",
	{Connecting, Failed, ServerShutdown}: "e2e TestServerToldToStopTwice",
	{Connecting, Failed, Unreachable}:    "e2e TestPhoneCallsThatCannotBePlaced",
	{Connecting, Failed, CallerHangup}:   "e2e TestEndsBeforeAConversation",
	{Connecting, Failed, ConnectionLost}: "e2e TestEndsBeforeAConversation",
	{Connecting, Timeout, JoinTimeout}:   "e2e TestEndsBeforeAConversation",

	{Active, Completed, CallerHangup}:      "e2e TestCallerHangsUp",
	{Active, Completed, AgentEnded}:        "e2e TestSpokenCall",
	{Active, Completed, EndedByAPI}:        "e2e TestEndThroughAPI",
	{Active, Disconnected, ConnectionLost}: "e2e TestCallerKilled",
	{Active, Disconnected, WorkerLost}:     "e2e TestServerKilled",
	{Active, Disconnected, ServerShutdown}: "e2e TestServerToldToStopTwice",
	{Active, Disconnected, ProviderError}:  "internal/voice TestModelFails",
	{Active, Timeout, MaxDuration}:         "e2e TestOverlongCall",
	{Active, Timeout, Silence}:             "e2e TestSilentCall",
}

type transitionOf struct {
	from, to Status
	reason   Reason
}

// What the table allows somebody shows to happen, and docs/call-states.md tells of.
func TestEveryTransitionIsProven(t *testing.T) {
	text, err := os.ReadFile("../../docs/call-states.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[transitionOf]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		state := func(cell string) Status { return Status(strings.Trim(cell, " `")) }
		reasons := strings.Fields(strings.ReplaceAll(cells[3], "`", ""))
		for _, reason := range reasons {
			if reason == "–" {
				reason = ""
			}
			told[transitionOf{state(cells[1]), state(cells[2]), Reason(reason)}] = true
		}
	}
	allowed := map[transitionOf]bool{}
	for _, row := range transitions {
		for _, reason := range row.reasons {
			which := transitionOf{row.from, row.to, reason}
			allowed[which] = true
			if !told[which] {
				t.Errorf("docs/call-states.md does not tell of %s → %s with %q", row.from, row.to, reason)
			}
			if untold[reason] {
				continue
			}
			folder, test, _ := strings.Cut(proofs[which], " ")
			if !exists(t, folder, test) {
				t.Errorf("%s → %s with %q: no test %q", row.from, row.to, reason, proofs[which])
			}
		}
	}
	for which := range proofs {
		if !allowed[which] {
			t.Errorf("a test proves %v, which cannot happen", which)
		}
	}
	for which := range told {
		if which.from.known() && !allowed[which] {
			t.Errorf("docs/call-states.md tells of %v, which cannot happen", which)
		}
	}
}

func (s Status) known() bool { return s == Pending || s == Connecting || s == Active }

func exists(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil || test == "" {
		return false
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}
