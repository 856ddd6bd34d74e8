package languageid

import "testing"

func TestIdentify(t *testing.T) {
	four := []string{"en", "de-DE", "es", "fr"}
	for text, want := range map[string]string{
		"no thank you goodbye":               "en",
		"ich möchte einen Tisch reservieren": "de-DE",
		"mañana a las cinco":                 "es",
		"quels sont vos horaires":            "fr",
		"when do you open":                   "en", // German by its trigrams
		"how much is it":                     "en",
		"wo sind sie":                        "de-DE",
		"je voudrais réserver une table":     "fr",
		"cuáles son sus horarios":            "es",
		"ok":                                 "", // of any language
		"Parley":                             "",
		"":                                   "",
		"quiero reservar una mesa":           "es",
	} {
		if got := Identify(text, four); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"我想预订一张桌子": "zh-CN", "मैं एक मेज आरक्षित करना चाहता हूँ": "hi", "أريد حجز طاولة لو سمحت": "ar", "明日の五時にお願いします": "ja"} {
		if got := Identify(text, []string{"en", "zh-CN", "hi", "ar", "ja"}); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := Identify("I would like to book a table", []string{"tlh"}); got != "" {
		t.Errorf("a language that nobody knows is %q", got)
	}
}
