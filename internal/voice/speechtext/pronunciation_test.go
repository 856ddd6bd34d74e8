package speechtext

import "testing"

func TestPronunciations(t *testing.T) {
	p := NewPronunciations(map[string]string{"nguyen": "win", "SQL": "sequel", "sql server": "sequel server", "IT": "eye tee", "acme corp": "Acme Corporation",
		"straße": "Strasse", "東京": "とうきょう", "24/7": "twenty-four seven", "डॉ": "डॉक्टर", "read": "red", "READ": "reed"})
	for text, want := range map[string]string{
		"Mr Nguyen and NGUYEN.":        "Mr win and win.",
		"Nguyens and nguyen2 stay":     "Nguyens and nguyen2 stay",
		"SQL, sql, MySQL, SQL Server":  "sequel, sql, MySQL, sequel server",
		"It is IT.":                    "It is eye tee.",
		"Acme Corp's Acme Corporation": "Acme Corporation's Acme Corporation",
		"Hauptstraße, STRAßE":          "Hauptstraße, Strasse",
		"私は東京に住む":                      "私はとうきょうに住む",
		"open 24/7!":                   "open twenty-four seven!",
		"डॉ. शर्मा डॉन":                "डॉक्टर. शर्मा डॉन",
		"read READ Read":               "red reed red",
		"a b":                          "a b",
	} {
		got := p.Apply(Plain(text))
		if got.Spoken() != want {
			t.Errorf("%q is spoken as %q, want %q", text, got.Spoken(), want)
		}
		if writtenOf(got) != text {
			t.Errorf("%q is written as %q", text, writtenOf(got))
		}
		if again := p.Apply(got); again.Spoken() != want {
			t.Errorf("%q is spoken as %q when it is rendered again", text, again.Spoken())
		}
	}
	if NewPronunciations(nil) != nil {
		t.Error("there are pronunciations of no words")
	}
}
