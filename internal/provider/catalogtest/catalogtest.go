// Package catalogtest has provider catalogues for tests of what validates configurations against one: agents and provider keys.
package catalogtest

import (
	"slices"
	"strings"
)

// Any is a catalogue in which every provider, model, voice and language exists, and in which each provider has an address. It
// lists the provider offline only.
type Any struct{}

func (Any) Has(kind, name string) bool                                   { return true }
func (Any) Names(kind string) []string                                   { return []string{"offline"} }
func (Any) NeedsAddress(name string) bool                                { return false }
func (Any) KnowsModel(kind, name, model string) bool                     { return true }
func (Any) KnowsVoice(name, voice string) bool                           { return true }
func (Any) KnowsLanguage(kind, name, model, tag string) bool             { return true }
func (Any) Shutdown(name, model string) string                           { return "" }
func (Any) Caveat(kind, name, model, parameter string, value any) string { return "" }

// SelfHosted is the provider of a Catalog that has no default address.
const SelfHosted = "self-hosted"

// Catalog lists models by "kind/provider", such as "stt/deepgram". Every voice and language exists in it.
type Catalog map[string][]string

func (c Catalog) Has(kind, name string) bool {
	_, ok := c[kind+"/"+name]
	return ok
}

// Names returns the providers of a kind in alphabetical order.
func (c Catalog) Names(kind string) (names []string) {
	for key := range c {
		if name, ok := strings.CutPrefix(key, kind+"/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (c Catalog) KnowsModel(kind, name, model string) bool {
	return slices.Contains(c[kind+"/"+name], model)
}

func (Catalog) NeedsAddress(name string) bool                                { return name == SelfHosted }
func (Catalog) KnowsVoice(name, voice string) bool                           { return true }
func (Catalog) KnowsLanguage(kind, name, model, tag string) bool             { return true }
func (Catalog) Shutdown(name, model string) string                           { return "" }
func (Catalog) Caveat(kind, name, model, parameter string, value any) string { return "" }
