package worker

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"
)

// While a person's phone is connected, its time is written every 15 s, without an end or a turn of the agent.
func TestBillOfAPhoneIsWrittenMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m meter
		var written []decimal.Decimal // seconds
		b := &phoneBill{meter: &m, trunk: "Carrier", write: func() {
			for _, used := range m.take("anna") {
				written = append(written, used.Quantity)
			}
		}}
		left := make(chan struct{})
		b.begin()
		go b.keep(left)
		time.Sleep(40 * time.Second)
		synctest.Wait()
		if len(written) != 2 || !written[0].Equal(decimal.NewFromInt(15)) || !written[1].Equal(decimal.NewFromInt(15)) {
			t.Errorf("written after 40 s: %v", written)
		}
		b.end()
		close(left)
		synctest.Wait()
		if rest := m.take("anna"); len(rest) != 1 || !rest[0].Quantity.Equal(decimal.NewFromInt(10)) {
			t.Errorf("the rest is %v", rest)
		}
	})
}
