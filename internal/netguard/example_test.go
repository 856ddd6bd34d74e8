package netguard_test

import (
	"fmt"
	"net/netip"

	"parley/internal/netguard"
)

func ExamplePermits() {
	for _, text := range []string{"93.184.215.14", "10.0.0.1", "169.254.169.254"} {
		address := netip.MustParseAddr(text)
		fmt.Println(text, netguard.Permits(address, false), netguard.Permits(address, true))
	}
	// Output:
	// 93.184.215.14 true true
	// 10.0.0.1 false true
	// 169.254.169.254 false false
}
