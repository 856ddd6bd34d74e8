package voice

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/prompt"
)

// fakeCache caches speech in memory.
type fakeCache struct {
	mu      sync.Mutex
	entries map[string][]dialogue.Speech // by voice and texts
}

func newFakeCache() *fakeCache { return &fakeCache{entries: map[string][]dialogue.Speech{}} }

// texts are the texts of all entries.
func (c *fakeCache) texts() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	texts := map[string]bool{}
	for key := range c.entries {
		_, text, _ := strings.Cut(key, "\n")
		texts[text] = true
	}
	return texts
}

type cachedVoice struct {
	cache *fakeCache
	voice string
}

func (v cachedVoice) key(texts []string) string { return v.voice + "\n" + strings.Join(texts, "|") }

func (v cachedVoice) Find(texts []string) []dialogue.Speech {
	v.cache.mu.Lock()
	defer v.cache.mu.Unlock()
	return v.cache.entries[v.key(texts)]
}

func (v cachedVoice) Add(texts []string, speech []dialogue.Speech) {
	v.cache.mu.Lock()
	defer v.cache.mu.Unlock()
	v.cache.entries[v.key(texts)] = speech
}

// cacheSpeech caches the speech of an agent's fixed texts, as when it is saved.
func (s *scenario) cacheSpeech(agents ...string) {
	s.Helper()
	if s.cache == nil {
		s.cache = newFakeCache()
	}
	for _, name := range agents {
		if err := CacheSpeech(s.Context(), s.options.Plan, name, "", s); err != nil {
			s.Fatal(err)
		}
	}
}

// greeted is a call of an agent with a greeting; asked are the texts that its voice received.
func greeted(t *testing.T, cache *fakeCache, greeting string, user map[string]any) (first time.Duration, asked []string) {
	t.Helper()
	var begun time.Time
	perform(t, func(s *scenario) {
		s.cache, s.options.UserContext = cache, user
		s.synthesizer.timed = true
		s.options.Plan.Agents = map[string]agent.Config{"anna": config(greeting)}
	}, func(s *scenario) {
		begun = time.Now()
		s.wait(6 * time.Second)
	}, func(s *scenario) {
		first = s.line.heard()[0].at.Sub(begun)
		asked = s.synthesizer.said
		if len(s.journal.problems) > 0 {
			s.Errorf("problems are %+v", s.journal.problems)
		}
	})
	return first, asked
}

// A greeting is synthesised in the first call, and played at once in those after it.
func TestCachedGreeting(t *testing.T) {
	cache := newFakeCache()
	const greeting = "Hello there. How can I help you?"
	if first, asked := greeted(t, cache, greeting, nil); first < 80*ms || len(asked) != 2 {
		t.Errorf("the first call begins after %v; the voice received %q", first, asked)
	}
	if first, asked := greeted(t, cache, greeting, nil); first > 20*ms || len(asked) != 0 {
		t.Errorf("the second call begins after %v; the voice received %q", first, asked)
	}
	if _, asked := greeted(t, cache, "Hello there.", nil); len(asked) != 1 {
		t.Errorf("another greeting: the voice received %q", asked)
	}
}

// An interrupted greeting from the cache ends in the transcript where the caller stopped it, and the answer has its own word times.
func TestCachedGreetingInterrupted(t *testing.T) {
	cache := newFakeCache()
	greeted(t, cache, long, nil)
	perform(t, with(func(s *scenario) {
		s.cache, s.synthesizer.timed = cache, true
		s.options.Plan.Agents = map[string]agent.Config{"anna": config(long)}
	}, replying(step{after: 10 * ms, text: "Yes?"})), func(s *scenario) {
		s.wait(4*wordLength + 50*ms)
		s.say("stop", 700*ms)
		s.wait(6 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: One two three four five", "user: stop", "assistant: Yes?")
	})
}

// Texts with data of the call are not cached.
func TestTextsWithDataAreNotCached(t *testing.T) {
	cache := newFakeCache()
	for greeting, user := range map[string]map[string]any{
		"Hello {{user.name}}.": {"name": "Ada"}, "Hello {{call.type}}{{user.name}}.": {"name": "Bea"}, "Ignored.": {"greeting": "Dear Cleo."},
	} {
		greeted(t, cache, greeting, user)
	}
	greeted(t, cache, "Hello {{user.name | \"there\"}}.", nil)
	for text := range cache.texts() {
		if text != "Hello there." {
			t.Errorf("cached: %q", text)
		}
	}
	if len(cache.entries) != 1 {
		t.Errorf("%d entries", len(cache.entries))
	}
}

// What is cached when an agent is saved: its fixed texts, in its language and in its words.
func TestCacheSpeech(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scenario{T: t, synthesizer: &fakeSynthesizer{delay: 80 * ms}, cache: newFakeCache()}
		c := config("Guten Tag {{prompt.brand}}. Wie geht's?")
		c.DefaultLanguage, c.Turn = "de", []byte(`{"silence_prompt": "Sind Sie noch da?"}`)
		c.TTS.Pronunciations = map[string]string{"Acme": "Äkmi"}
		s.options.Plan = Plan{Agents: map[string]agent.Config{"anna": c}, Prompts: prompt.Bodies{
			"brand":  {Content: map[string]string{"en": "bei Acme"}},
			"error":  {Content: map[string]string{"en": "Sorry.", "de": "Leider geht es nicht."}},
			"pardon": {Content: map[string]string{"de": "Wie bitte, {{user.name}}?"}},
		}}
		for range 2 {
			s.cacheSpeech("anna")
		}
		want := map[string]bool{"Leider geht es nicht.": true, "Guten Tag bei Äkmi.|Wie geht's?": true, "Einen Moment bitte.": true,
			"Es tut mir leid, es dauert noch einen Augenblick.": true, "Wie bitte, ?": true, strings.Replace(declinedText.defaults["de"], ". ", ".|", 1): true, "Sind Sie noch da?": true}
		if diff := cmp.Diff(want, s.cache.texts()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if len(s.synthesizer.opened) != 1 || s.synthesizer.open != 0 || s.synthesizer.opened[0].Language != "de" {
			t.Errorf("opened %+v, %d are open", s.synthesizer.opened, s.synthesizer.open)
		}
	})
}

// A voice that does not work caches nothing, and nothing is left behind. Speech of several attempts is not cached either.
func TestCacheSpeechOfABrokenVoice(t *testing.T) {
	for name, set := range map[string]func(*fakeSynthesizer){
		"does not open":     func(v *fakeSynthesizer) { v.shut = 1000 },
		"does not speak":    func(v *fakeSynthesizer) { v.fail = 1000 },
		"sends noise":       func(v *fakeSynthesizer) { v.noise = true },
		"breaks off":        func(v *fakeSynthesizer) { v.breaks, v.after = 1000, 1 },
		"is silent forever": func(v *fakeSynthesizer) { v.delay = time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scenario{T: t, synthesizer: &fakeSynthesizer{}, cache: newFakeCache()}
				set(s.synthesizer)
				s.options.Plan = Plan{Agents: map[string]agent.Config{"anna": config("Hello there.")}}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := CacheSpeech(ctx, s.options.Plan, "anna", "", s)
				if err == nil && name != "breaks off" || len(s.cache.entries) > 0 || s.synthesizer.open > 0 {
					t.Errorf("%v; cached %v; %d voices are open", err, s.cache.texts(), s.synthesizer.open)
				}
			})
		})
	}
}
