package leaktest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestFind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := goleak.IgnoreCurrent()
		go time.Sleep(timeout / 2)
		if err := find(before); err != nil {
			t.Errorf("a goroutine that ends after %v: %v", timeout/2, err)
		}
		end := make(chan struct{})
		go func() { <-end }()
		if err := find(before); err == nil || !strings.Contains(err.Error(), "TestFind") {
			t.Errorf("a goroutine that does not end: %v", err)
		}
		close(end)
	})
}
