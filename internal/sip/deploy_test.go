package sip

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/livekit/sip/pkg/config"
	"go.yaml.in/yaml/v3"
)

// LiveKit SIP reads its configuration of deploy/compose/production, and has a field for each of its settings.
func TestDeployedSIPConfiguration(t *testing.T) {
	text, err := os.ReadFile("../../deploy/compose/production/sip.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.NewConfig(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if c.SIPPort != 5060 || c.RTPPort.Start != 10_000 || c.RTPPort.End != 20_000 || c.Redis.DB != 1 {
		t.Errorf("port %d, audio at %v, Redis %+v", c.SIPPort, c.RTPPort, c.Redis)
	}
	var known []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[config.Config]()) {
		known = append(known, field.Tag.Get("yaml"))
	}
	var settings map[string]any
	if err := yaml.Unmarshal(text, &settings); err != nil {
		t.Fatal(err)
	}
	for name := range settings {
		if !slices.Contains(known, name) {
			t.Errorf("LiveKit SIP has no setting %s", name)
		}
	}
}
