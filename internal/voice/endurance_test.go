package voice

import (
	"runtime"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// heap is what is in use after everything else was given back.
func heap() int64 {
	runtime.GC()
	runtime.GC() // finalizers of the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// 200 calls in a row leave neither goroutines nor memory. In each of them a
// question is answered, an answer interrupted, the recogniser and the model fail
// over and the caller hangs up in the middle of a word.
func TestCallsInARow(t *testing.T) {
	talk := func() {
		perform(t, with(fallbacks, func(s *scenario) {
			s.ear2.texts = []string{"count", "stop", "and on Sunday"}
			s.model.reply = func(p dialogue.Prompt) []step {
				switch lastUser(p) {
				case "count":
					return []step{{after: 100 * ms, text: long}}
				case "stop":
					return []step{{after: 100 * ms, text: "I stop."}}
				}
				return []step{{err: errKey}}
			}
		}), func(s *scenario) {
			s.question("count")
			s.recognizer.snap(errKey)
			s.wait(1500 * ms)
			s.say("", 700*ms)
			s.wait(4 * time.Second)
			s.say("", 700*ms)
			s.wait(2 * time.Second)
		}, func(s *scenario) {
			if n := len(s.journal.turns); n != 3 {
				t.Fatalf("%d turns: %q", n, s.journal.lines)
			}
		})
	}
	for range 20 {
		talk() // whatever is made once is made now
	}
	goroutines, before := runtime.NumGoroutine(), heap()
	const calls = 200
	for range calls {
		talk()
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines; time.Sleep(10 * time.Millisecond) { // they end a moment after their calls
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
	}
	if grown := heap() - before; grown > calls<<10 {
		t.Errorf("%d calls leave %d kB", calls, grown>>10)
	} else {
		t.Logf("%d calls leave %d kB", calls, grown>>10)
	}
}
