package app

import "testing"

func TestGatewayPort(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given *int
		free  bool
		want  int
	}{
		{"given", new(5070), true, 5070},
		{"given and taken", new(5070), false, 5070}, // the gateway's start reports it
		{"none given", nil, true, 5060},
		{"none given, the standard one taken", nil, false, 0},
	} {
		if got := gatewayPort(tc.given, func(port int) bool { return tc.free || port != 5060 && port != 5070 }); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}
