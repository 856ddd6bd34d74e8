package call

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// proofs says which test shows that a transition can be reached, for every reason that may lead to it: package and test.
var proofs = map[transitionOf]string{
	{Pending, Connecting, NoReason}: "e2e TestSpokenCall",
	{Connecting, Active, NoReason}:  "e2e TestSpokenCall",

	{Pending, Failed, NoWorker}:       "e2e TestNoWorkerTakesTheCall",
	{Pending, Failed, ProviderError}:  "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, HookRejected}:   "e2e TestCallHookOfAPhone",
	{Pending, Failed, NoTrunk}:        "e2e TestPhoneCallsThatCannotBePlaced",
	{Pending, Failed, EndedByAPI}:     "internal/call TestEnd",
	{Pending, Failed, WorkerLost}:     "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, ServerShutdown}: "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, CallerHangup}:   "internal/worker TestEndsOfPendingCalls",
	{Pending, Failed, ConnectionLost}: "internal/worker TestEndsOfPendingCalls",
	{Pending, Timeout, JoinTimeout}:   "e2e TestTimeouts",

	{Connecting, Failed, ProviderError}:  "e2e TestVendorsKeys",
	{Connecting, Failed, EndedByAPI}:     "internal/worker TestEndsOfConnectingCalls",
	{Connecting, Failed, WorkerLost}:     "internal/call TestReaper",
	{Connecting, Failed, ServerShutdown}: "e2e TestServerStoppedBySecondSignal",
	{Connecting, Failed, RingTimeout}:    "e2e TestNumbersThatAreNotReached",
	{Connecting, Failed, Busy}:           "e2e TestNumbersThatAreNotReached",
	{Connecting, Failed, Declined}:       "e2e TestNumbersThatAreNotReached",
	{Connecting, Failed, InvalidNumber}:  "e2e TestNumbersThatAreNotReached",
	{Connecting, Failed, Unreachable}:    "e2e TestNumbersThatAreNotReached",
	{Connecting, Failed, CallerHangup}:   "internal/worker TestEndsOfConnectingCalls",
	{Connecting, Failed, ConnectionLost}: "internal/worker TestEndsOfConnectingCalls",

	{Active, Completed, CallerHangup}:      "e2e TestCallForPeople",
	{Active, Completed, AgentEnded}:        "e2e testKeptCall",
	{Active, Completed, Transferred}:       "internal/call TestTransferredCall",
	{Active, Completed, EndedByAPI}:        "e2e TestEndThroughAPI",
	{Active, Completed, VoicemailLeft}:     "internal/call TestCallsThatMachinesAnswered",
	{Active, Completed, Voicemail}:         "internal/call TestCallsThatMachinesAnswered",
	{Active, Completed, ScreenedOut}:       "internal/call TestCallsThatMachinesAnswered",
	{Active, Completed, MenuFailed}:        "internal/call TestCallsThatMachinesAnswered",
	{Active, Completed, Budget}:            "e2e TestACallEndsAtItsMaxCost",
	{Active, Disconnected, ConnectionLost}: "e2e TestCallerKilled",
	{Active, Disconnected, WorkerLost}:     "e2e TestServerKilled",
	{Active, Disconnected, ServerShutdown}: "e2e TestServerStoppedBySecondSignal",
	{Active, Disconnected, ProviderError}:  "e2e TestVendorFailsForGood",
	{Active, Timeout, MaxDuration}:         "e2e TestTimeouts",
	{Active, Timeout, Silence}:             "e2e TestEndsBeforeAConversation",
}

type transitionOf struct {
	from, to Status
	reason   Reason
}

// Every transition of the table is exercised by a test, and is documented in docs/call-states.md.
func TestEveryTransitionIsProven(t *testing.T) {
	text, err := os.ReadFile("../../docs/call-states.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[transitionOf]bool{}
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
			documented[transitionOf{state(cells[1]), state(cells[2]), Reason(reason)}] = true
		}
	}
	allowed := map[transitionOf]bool{}
	for _, row := range transitions {
		for _, reason := range row.reasons {
			which := transitionOf{row.from, row.to, reason}
			allowed[which] = true
			if !documented[which] {
				t.Errorf("docs/call-states.md does not document %s → %s with %q", row.from, row.to, reason)
			}
			folder, test, _ := strings.Cut(proofs[which], " ")
			source := source(t, folder, test)
			switch {
			case source == "":
				t.Errorf("%s → %s with %q: no test %q", row.from, row.to, reason, proofs[which])
			case reason != NoReason && (!names(source, string(row.to)) || !names(source, string(reason))):
				t.Errorf("%s → %s with %q: %q names them nowhere", row.from, row.to, reason, proofs[which])
			}
		}
	}
	for which := range proofs {
		if !allowed[which] {
			t.Errorf("a test proves %v, which cannot happen", which)
		}
	}
	for which := range documented {
		if which.from.known() && !allowed[which] {
			t.Errorf("docs/call-states.md documents %v, which cannot happen", which)
		}
	}
}

func (s Status) known() bool { return s == Pending || s == Connecting || s == Active }

// source is the text of a test; "" if there is none.
func source(t *testing.T, folder, test string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil || test == "" {
		return ""
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, found := strings.Cut(string(text), "\nfunc "+test+"("); found {
			body, _, _ = strings.Cut(body, "\n}\n")
			return body
		}
	}
	return ""
}

// names reports whether a test names a state or a reason, by its constant or as clients see it: ended_by_api is EndedByAPI.
func names(source, what string) bool {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	return strings.Contains(plain(source), plain(what))
}
