package cartesia

import "strings"

// controlled reports whether a model takes generation_config, which holds the speed: Sonic 3 and later do, on others it has no effect
// (https://docs.cartesia.ai/build-with-cartesia/capability-guides/volume-speed-emotion).
func controlled(model string) bool {
	return !strings.HasPrefix(model, "sonic-2") && !strings.HasPrefix(model, "sonic-turbo")
}
