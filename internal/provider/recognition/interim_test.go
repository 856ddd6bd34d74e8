package recognition

import (
	"testing"
	"time"

	"parley/internal/dialogue"
)

// An empty final result retracts the interim text before it, unless the vendor is known to lose words so.
func TestAccountKeepsInterim(t *testing.T) {
	for keeps, want := range map[bool]dialogue.Transcript{
		false: {Final: true},
		true:  {Text: "yes please", Final: true},
	} {
		a := account{keepsInterim: keeps}
		a.handleMessage(Message{Results: true, Text: "yes please"}, time.Time{})
		a.recordFinalize()
		if got, is := a.handleMessage(Message{Results: true, Final: true, Answer: true}, time.Time{}); !is || got != want {
			t.Errorf("keeps %t: %+v, %t; want %+v", keeps, got, is, want)
		}
		if got, is := a.handleMessage(Message{Results: true, Final: true}, time.Time{}); is {
			t.Errorf("keeps %t: another empty final is %+v", keeps, got)
		}
	}
}
