package call

import (
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/seal"
)

// Settings are what a dispatch sets for its call only. Zero values mean what agent, trunk and installation have.
type Settings struct {
	TrunkID       string `json:"trunk_id,omitempty"`  // to dial through
	CallerID      string `json:"caller_id,omitempty"` // E.164
	RingSeconds   int    `json:"ring_timeout_seconds,omitempty"`
	MaxSeconds    int    `json:"max_duration_seconds,omitempty"` // at most the installation's
	SilentSeconds int    `json:"silence_timeout_seconds,omitempty"`
	Greeting      string `json:"greeting,omitempty"` // a template, in place of the first agent's
	GreetingMode  string `json:"greeting_mode,omitempty"`
	Recording     *bool  `json:"recording,omitempty"`  // in place of each agent's
	MaxCost       string `json:"max_cost,omitempty"`   // cost.LimitPattern, in the currency of the price list
	Microphone    *bool  `json:"microphone,omitempty"` // false: a web caller who only writes
}

// The values of Settings.GreetingMode.
const (
	GreetingSpeaks = "speak" // the agent speaks first
	GreetingWaits  = "wait"  // the agent greets after the caller's first words
)

// RingTimeout returns how long the phone may ring.
func (s Settings) RingTimeout(installation time.Duration) time.Duration {
	return seconds(s.RingSeconds, installation)
}

// SilenceTimeout returns the silence that ends the call.
func (s Settings) SilenceTimeout(installation time.Duration) time.Duration {
	return seconds(s.SilentSeconds, installation)
}

// MaxDuration returns how long the call may be active.
func (s Settings) MaxDuration(installation time.Duration) time.Duration {
	return min(installation, seconds(s.MaxSeconds, installation))
}

func seconds(own int, installation time.Duration) time.Duration {
	if own == 0 {
		return installation
	}
	return time.Duration(own) * time.Second
}

// settingsPlace returns the seal place of a call's settings.
func settingsPlace(id, tenantID string) seal.Place {
	return seal.Place{Table: "calls.settings", Row: id, Tenant: tenantID}
}

// sealSettings returns the settings as stored; nil for none.
func (s *Service) sealSettings(settings Settings, place seal.Place) ([]byte, error) {
	if settings == (Settings{}) {
		return nil, nil
	}
	encoded, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("encode a call's settings: %w", err)
	}
	return s.sealer.Seal(encoded, place), nil
}

// Settings decrypts the settings of the call's dispatch.
func (s *Service) Settings(c *Call) (settings Settings, err error) {
	if c.Settings == nil {
		return settings, nil
	}
	plain, err := s.sealer.Open(c.Settings, settingsPlace(c.ID, c.TenantID))
	if err == nil {
		err = json.Unmarshal(plain, &settings)
	}
	if err != nil {
		return Settings{}, fmt.Errorf("settings of call %s: %w", c.ID, err)
	}
	return settings, nil
}
