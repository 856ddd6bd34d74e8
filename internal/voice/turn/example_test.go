package turn_test

import (
	"encoding/json"
	"fmt"

	"parley/internal/voice/turn"
)

// An agent's config.turn overrides the defaults; all faults are reported at once.
func ExampleOverride() {
	options, faults := turn.Override(turn.DefaultOptions, json.RawMessage(`{"endpoint_default_ms": 800}`))
	fmt.Println(options.EndpointComplete, options.EndpointDefault, len(faults))

	for _, fault := range turn.Check(json.RawMessage(`{"endpoint_default_ms": 50, "silence_prompts": "two"}`)) {
		fmt.Println(fault.Field + ": " + fault.Message)
	}
	// Output:
	// 300ms 800ms 0
	// endpoint_default_ms: must be between 200 and 10000
	// silence_prompts: must be a whole number between 0 and 10
}
