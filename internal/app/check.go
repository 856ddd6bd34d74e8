package app

import (
	"context"
	"fmt"
	"log/slog"

	"parley/internal/config"
	"parley/internal/provider"
	"parley/internal/provider/roundtrip"
)

// ProviderCheck is the trials of the providers that the platform has keys for.
type ProviderCheck struct {
	Trials []roundtrip.Trial
	speech speech
}

// NewProviderCheck prepares the trials, of one kind if kind is set, and of one provider if only names it. Nothing is sent yet.
func NewProviderCheck(ctx context.Context, v config.Vendors, kind, only string, voiceIDs map[string]string, log *slog.Logger) (*ProviderCheck, error) {
	c := &ProviderCheck{speech: newSpeech(config.Server{Vendors: v}, true, nil, nil, log, local{})}
	why := ""
	c.Trials = roundtrip.Trials(provider.Kind(kind), only, func(kind provider.Kind, name string) bool {
		if lack := c.speech.Lacks(kind, name, false); lack != "" {
			why = lack
			return false
		}
		return true
	}, voiceIDs)
	switch {
	case len(c.Trials) > 0:
		return c, nil
	case only == "":
		return nil, fmt.Errorf("no provider has a key: set DEEPGRAM_API_KEY and so on")
	case why == "":
		return nil, fmt.Errorf("there is no provider %q that could be tried", only)
	}
	return nil, fmt.Errorf("%s", why)
}

// Run makes the trials.
func (c *ProviderCheck) Run(ctx context.Context) []roundtrip.Result {
	return roundtrip.Run(ctx, c.speech.For(ctx, ""), c.Trials)
}
