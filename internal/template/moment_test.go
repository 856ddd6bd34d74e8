package template

import (
	"testing"
	"time"
)

// christmas is a quarter past nine in the evening in Berlin.
var christmas = time.Date(2026, 12, 24, 20, 15, 0, 0, time.UTC)

func TestMomentInTemplates(t *testing.T) {
	for timezone, want := range map[string]string{
		"Europe/Berlin": "2026-12-24T21:15:00+01:00 2026-12-24 21:15 21 Thursday Europe/Berlin 2026-12-24",
		"Asia/Tokyo":    "2026-12-25T05:15:00+09:00 2026-12-25 05:15 5 Friday Asia/Tokyo 2026-12-25",
		"":              "2026-12-24T20:15:00Z 2026-12-24 20:15 20 Thursday UTC 2026-12-24",
		"Nowhere/Else":  "2026-12-24T20:15:00Z 2026-12-24 20:15 20 Thursday UTC 2026-12-24",
	} {
		scope := Scope{}
		scope.SetTime(christmas, timezone)
		got, missing := Render("{{now}} {{now.date}} {{now.time}} {{now.hour}} {{now.weekday}} {{now.timezone}} {{today}}", scope)
		if got != want || len(missing) > 0 {
			t.Errorf("in %q: %q, want %q; missing %v", timezone, got, want, missing)
		}
		if text := Text(map[string]any{"at": scope["now"]}); timezone == "" && text != `{"at":"2026-12-24T20:15:00Z"}` {
			t.Errorf("as JSON: %s", text)
		}
	}
}

func TestMomentInConditions(t *testing.T) {
	scope := Scope{}
	scope.SetTime(christmas, "Europe/Berlin")
	for expression, want := range map[string]bool{
		`now.hour >= 21 and now.hour < 22`:          true,
		`now.hour < 9`:                              false,
		`now.time > "21:14"`:                        true,
		`{{now.weekday}} in ["Thursday"]`:           true,
		`now.weekday in ["Saturday", "Sunday"]`:     false,
		`today == "2026-12-24"`:                     true,
		`"{{today}}" < "2026-12-24"`:                false,
		`now startsWith "2026-12-24T21:15"`:         true,
		`"{{now}}" == now`:                          true,
		`now > "2026-12-25"`:                        false,
		`upper(now) endsWith "+01:00"`:              true,
		`now`:                                       true,
		`now.none`:                                  false,
		`(now.none ?? today) == "2026-12-24"`:       true,
		`"at {{now.time}}" == "at 21:15"`:           true,
		`{{now["time"]}} == "21:15" && now?.hour`:   true,
		`user.none == nil ? now.hour == 21 : false`: true,
	} {
		c, err := Compile(expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got := holds(t, c, scope); got != want {
			t.Errorf("%s is %t", expression, got)
		}
	}
}

func TestMomentWarnings(t *testing.T) {
	for expression, want := range map[string]string{
		`now > "2026"`:      "",
		`today == "x"`:      "",
		`now.hour > 3`:      "",
		`now.second > 3`:    "now.second leads nowhere: now has date, time, hour, weekday, timezone",
		`today.year > 2026`: "today.year leads nowhere: today is a date, without fields",
	} {
		c, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(c.Warnings()) > 0 {
			got = c.Warnings()[0]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
	if _, err := Compile("now() > 1"); err == nil {
		t.Error("now() compiles")
	}
}

func TestLocation(t *testing.T) {
	for name, valid := range map[string]bool{
		"UTC": true, "Europe/Berlin": true, "America/Argentina/Buenos_Aires": true, "Etc/GMT+1": true,
		"": false, "Local": false, "Berlin": false, "europe/berlin": false, "../../etc/passwd": false, "posix/Europe/Berlin": false, "CET/": false, "+01:00": false,
	} {
		if _, err := Location(name); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
}
