package provider

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/internal/dialogue"
)

// Account is the credentials and address for a vendor.
type Account struct {
	Key     string // never logged, never in an error
	BaseURL string // "" for the vendor's own
	// Guarded: a tenant chose the address, so that only permitted addresses may be connected to.
	Guarded bool
}

// usable reports whether a provider can be used with the account.
func (a Account) usable(name string) bool {
	if NeedsAddress(name) {
		return a.BaseURL != ""
	}
	return a.Key != ""
}

// Choice identifies a provider in one of its kinds.
type Choice struct {
	Kind Kind
	Name string
}

// Keyring provides a tenant's own keys.
type Keyring interface {
	// Account returns the tenant's own account with a provider, false if it has none. The error says, for the tenant,
	// why its key cannot be used.
	Account(kind, name string) (account Account, held bool, err error)
}

// Options configures a Registry.
type Options struct {
	// Platform are the platform's accounts. Their base URLs do not apply to tenants' keys, which are sent to the
	// vendor itself or to the address that was stored with them.
	Platform map[Choice]Account
	// Keys provides tenants' own keys, which have priority over the platform's.
	Keys func(ctx context.Context, tenantID string) (Keyring, error)
	Log  *slog.Logger
}

// Registry creates providers for tenants, with their own keys or the platform's. It is filled before it is shared.
type Registry struct {
	o              Options
	recognizers    shelf[dialogue.Recognizer]
	synthesizers   shelf[dialogue.Synthesizer]
	languageModels shelf[dialogue.LanguageModel]
	realtimeModels shelf[dialogue.RealtimeModel]
}

// NewRegistry returns an empty registry.
func NewRegistry(o Options) *Registry {
	return &Registry{o: o, recognizers: newShelf[dialogue.Recognizer](STT), synthesizers: newShelf[dialogue.Synthesizer](TTS),
		languageModels: newShelf[dialogue.LanguageModel](LLM), realtimeModels: newShelf[dialogue.RealtimeModel](Realtime)}
}

// AddRecognizer registers a provider that needs no key.
func (r *Registry) AddRecognizer(name string, p dialogue.Recognizer) { r.recognizers.add(name, p) }

// AddSynthesizer registers a provider that needs no key.
func (r *Registry) AddSynthesizer(name string, p dialogue.Synthesizer) { r.synthesizers.add(name, p) }

// AddLanguageModel registers a provider that needs no key.
func (r *Registry) AddLanguageModel(name string, p dialogue.LanguageModel) {
	r.languageModels.add(name, p)
}

// VendRecognizer registers the constructor of a vendor's provider. Instances are shared by calls and may be dropped
// at any time: they make no request by themselves and need no Close.
func (r *Registry) VendRecognizer(name string, open func(Account) dialogue.Recognizer) {
	r.recognizers.vend(name, open)
}

// VendSynthesizer is like VendRecognizer, for speech synthesis.
func (r *Registry) VendSynthesizer(name string, open func(Account) dialogue.Synthesizer) {
	r.synthesizers.vend(name, open)
}

// VendLanguageModel is like VendRecognizer, for language models.
func (r *Registry) VendLanguageModel(name string, open func(Account) dialogue.LanguageModel) {
	r.languageModels.vend(name, open)
}

// VendRealtimeModel is like VendRecognizer, for speech to speech.
func (r *Registry) VendRealtimeModel(name string, open func(Account) dialogue.RealtimeModel) {
	r.realtimeModels.vend(name, open)
}

// Lacks returns what a tenant has to configure before it can use a provider, as a sentence; "" for nothing. ownKey
// reports that the tenant has a key for it.
func (r *Registry) Lacks(kind Kind, name string, ownKey bool) string {
	key := ownKey || r.o.Platform[Choice{KeyKind(kind), name}].usable(name)
	var err error
	switch kind {
	case STT:
		err = r.recognizers.lacks(name, key)
	case TTS:
		err = r.synthesizers.lacks(name, key)
	case LLM:
		err = r.languageModels.lacks(name, key)
	case Realtime:
		err = r.realtimeModels.lacks(name, key)
	}
	if err != nil {
		return fmt.Sprintf("the %s provider %q is %v", kind, name, err)
	}
	return ""
}

// kept is how many instances of each kind are cached, the most recently used: language models keep connections open
// between calls.
const kept = 256

// shelf is the cached providers of one kind.
type shelf[P any] struct {
	kind    Kind
	keyless map[string]P
	vendors map[string]func(Account) P

	mu   *sync.Mutex
	made *simplelru.LRU[made, P]
}

// made is the cache key.
type made struct {
	name    string
	account Account
}

func newShelf[P any](kind Kind) shelf[P] {
	lru, err := simplelru.NewLRU[made, P](kept, nil)
	if err != nil {
		panic(err) // only for an invalid size
	}
	return shelf[P]{kind: kind, keyless: map[string]P{}, vendors: map[string]func(Account) P{}, mu: new(sync.Mutex), made: lru}
}

func (s *shelf[P]) add(name string, p P) {
	s.mustKnow(name)
	s.keyless[name] = p
}

func (s *shelf[P]) vend(name string, open func(Account) P) {
	s.mustKnow(name)
	s.vendors[name] = open
}

// mustKnow panics on a name that is not in the catalogue.
func (s *shelf[P]) mustKnow(name string) {
	if _, ok := Find(s.kind, name); !ok {
		panic(fmt.Sprintf("provider: the catalogue has no %s provider %q", s.kind, name))
	}
}

// lacks returns why a provider is not available, with or without a key; nil if it is.
func (s *shelf[P]) lacks(name string, key bool) error {
	if _, ok := s.keyless[name]; ok {
		return nil
	}
	if _, ok := Find(s.kind, name); !ok {
		return dialogue.Errorf("unknown, there are only %s", strings.Join(Names(s.kind), ", "))
	}
	if _, ok := s.vendors[name]; !ok {
		return dialogue.NewError("not installed on this server")
	}
	if !key && NeedsAddress(name) {
		variable := name
		if name == Compatible { // one for each kind
			variable += "_" + string(s.kind)
		}
		return dialogue.Errorf("not set up on this server: it needs %s_BASE_URL or the tenant's own key with a base_url", strings.ToUpper(variable))
	}
	if !key {
		return dialogue.Errorf("not set up on this server: it needs %s_API_KEY or the tenant's own key", strings.ToUpper(name))
	}
	return nil
}

// get returns the provider for an account, cached while it is in use.
func (s *shelf[P]) get(name string, account Account) (P, error) {
	if p, ok := s.keyless[name]; ok {
		return p, nil
	}
	if err := s.lacks(name, account.usable(name)); err != nil {
		var none P
		return none, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	as := made{name, account}
	if p, ok := s.made.Get(as); ok {
		return p, nil
	}
	p := s.vendors[name](account)
	s.made.Add(as, p)
	return p, nil
}

// needsKey reports whether a provider needs a key.
func (s *shelf[P]) needsKey(name string) bool {
	_, ok := s.vendors[name]
	return ok
}
