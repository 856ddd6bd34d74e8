package media

import (
	"os"
	"strings"
	"testing"

	"github.com/livekit/livekit-server/pkg/config"
)

// LiveKit reads its configuration of deploy/compose/production, in which it knows every field, and checks it.
func TestDeployedLiveKitConfiguration(t *testing.T) {
	text, err := os.ReadFile("../../deploy/compose/production/livekit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// It asks a STUN server for the public address while it reads the configuration.
	asked := strings.Replace(string(text), "use_external_ip: true", "node_ip: 203.0.113.10", 1)
	const strict = true
	c, err := config.NewConfig(asked, strict, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.RTC.UDPPort.Start != 7882 || c.RTC.TCPPort != 7881 || !c.TURN.Enabled || !c.TURN.ExternalTLS || c.TURN.TLSPort != 5349 || c.Redis.DB != 1 {
		t.Errorf("media at UDP %d and TCP %d, TURN %+v, Redis %+v", c.RTC.UDPPort.Start, c.RTC.TCPPort, c.TURN, c.Redis)
	}
}
