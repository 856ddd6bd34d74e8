package signing

import (
	"fmt"
	"time"
)

// While a rotated secret overlaps, a delivery is signed with both.
func ExampleSignature() {
	at, body := time.Unix(1795276800, 0), []byte(`{"id":"evt_1"}`)
	fmt.Println(Signature([]string{"whsec_new", "whsec_old"}, at, body))
	// Output: t=1795276800,v1=26171d1f13cc7d95d25defa7600f8429ee5b50d6d9fd005f7ee63e41372ce709,v1=9eccbdaa7d59541d427d32dcaee58e93379266714688f98a589fc0342df9c721
}
