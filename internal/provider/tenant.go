package provider

import (
	"context"
	"sync"
	"time"

	"parley/internal/dialogue"
)

// keysWait bounds how long a call waits for its tenant's keys.
const keysWait = 5 * time.Second

var errKeysAway = dialogue.NewError("the tenant's provider keys could not be read; the server's log tells why")

// Tenant is the providers that one call of a tenant may use.
type Tenant struct {
	registry *Registry
	ctx      context.Context // the call's
	id       string

	mu   sync.Mutex
	keys Keyring // nil until one is needed
}

// For returns the providers for one call of a tenant, which ctx bounds. The
// tenant's keys are read when the first provider that needs one is asked for,
// which is when the caller has come, and then hold for the call: a key that was
// revoked is used in no call that begins later.
func (r *Registry) For(ctx context.Context, tenantID string) *Tenant {
	return &Tenant{registry: r, ctx: ctx, id: tenantID}
}

// Recognizer returns a speech to text provider. The error says, in words for
// the tenant, why there is none.
func (t *Tenant) Recognizer(name string) (dialogue.Recognizer, error) {
	return lend(t, &t.registry.recognizers, name)
}

// Synthesizer returns a text to speech provider; errors as Recognizer.
func (t *Tenant) Synthesizer(name string) (dialogue.Synthesizer, error) {
	return lend(t, &t.registry.synthesizers, name)
}

// LanguageModel returns a language model provider; errors as Recognizer.
func (t *Tenant) LanguageModel(name string) (dialogue.LanguageModel, error) {
	return lend(t, &t.registry.languageModels, name)
}

// RealtimeModel returns a speech-to-speech provider; errors as Recognizer.
func (t *Tenant) RealtimeModel(name string) (dialogue.RealtimeModel, error) {
	return lend(t, &t.registry.realtimeModels, name)
}

// VoiceAccount returns the account with which the tenant uses a text to speech provider; errors as Recognizer.
func (t *Tenant) VoiceAccount(name string) (Account, error) {
	return accountFor(t, &t.registry.synthesizers, name)
}

func lend[P any](t *Tenant, from *shelf[P], name string) (P, error) {
	account, err := accountFor(t, from, name)
	if err != nil {
		var none P
		return none, err
	}
	return from.get(name, account)
}

// accountFor returns the tenant's own account with a provider, or else the platform's.
func accountFor[P any](t *Tenant, from *shelf[P], name string) (Account, error) {
	if from.needsKey(name) {
		own, held, err := t.account(from.kind, name)
		if err != nil || held { // whole: the tenant's key is not sent to the platform's address
			return own, err
		}
	}
	return t.registry.o.Platform[Choice{KeyKind(from.kind), name}], nil
}

// account returns the tenant's own account with a provider, false if it has none. Keys that could not be read
// are read again when they are next needed.
func (t *Tenant) account(kind Kind, name string) (Account, bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		ctx, cancel := context.WithTimeout(t.ctx, keysWait)
		defer cancel()
		keys, err := t.registry.o.Keys(ctx, t.id)
		if err != nil {
			t.registry.o.Log.ErrorContext(ctx, "failed to read provider keys", "tenant", t.id, "error", err)
			return Account{}, false, errKeysAway
		}
		t.keys = keys
	}
	return t.keys.Account(string(KeyKind(kind)), name)
}
