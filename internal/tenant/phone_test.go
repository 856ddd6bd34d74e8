package tenant

import "testing"

// Numbers of special ranges are rejected unless the range is allowed, as are those that begin with none of the prefixes of the
// platform and of the tenant.
func TestNumbersThatMayBeDialled(t *testing.T) {
	for _, tc := range []struct {
		number   string
		platform PhoneLimits
		own      Phone
		may      bool
	}{
		{"+4930123456", PhoneLimits{}, Phone{}, true},
		{"+15551234567", PhoneLimits{}, Phone{}, true},
		{"+499001123456", PhoneLimits{}, Phone{}, false},  // premium rate
		{"+4990011234567", PhoneLimits{}, Phone{}, false}, // premium rate, and a digit that the network ignores
		{"+49900112345678", PhoneLimits{}, Phone{}, false},
		{"+4909001123456", PhoneLimits{}, Phone{}, false}, // with the national prefix
		{"+19002345678999", PhoneLimits{}, Phone{}, false},
		{"+9791234567890", PhoneLimits{}, Phone{}, false},   // international premium rate
		{"+4930123456789012", PhoneLimits{}, Phone{}, true}, // too long, and nothing special
		{"+12025550123456", PhoneLimits{}, Phone{}, true},
		{"+4990011234567", PhoneLimits{Ranges: []string{PremiumRate}}, Phone{}, true},
		{"+499001123456", PhoneLimits{Ranges: []string{PremiumRate}}, Phone{}, true},
		{"+499001123456", PhoneLimits{Ranges: []string{SharedCost, Satellite}}, Phone{}, false},
		{"+499001123456", PhoneLimits{}, Phone{Ranges: []string{PremiumRate}}, true},
		{"+19002345678", PhoneLimits{}, Phone{}, false},
		{"+4918012345678", PhoneLimits{}, Phone{}, false}, // shared cost
		{"+4918012345678", PhoneLimits{}, Phone{Ranges: []string{SharedCost}}, true},
		{"+881612345678", PhoneLimits{}, Phone{}, false},
		{"+8835100123456", PhoneLimits{}, Phone{}, false},
		{"+870773123456", PhoneLimits{Ranges: []string{Satellite}}, Phone{}, true},
		{"+4930123456", PhoneLimits{Prefixes: []string{"+43", "+49"}}, Phone{}, true},
		{"+4930123456", PhoneLimits{Prefixes: []string{"+43"}}, Phone{Prefixes: []string{"+49"}}, false},
		{"+4930123456", PhoneLimits{Prefixes: []string{"+49"}}, Phone{Prefixes: []string{"+4989"}}, false},
		{"+4930123456", PhoneLimits{}, Phone{Prefixes: []string{"+4930"}}, true},
	} {
		if why := tc.platform.Refuses(tc.own, tc.number); (why == "") != tc.may {
			t.Errorf("%s with %+v and %+v: %q", tc.number, tc.platform, tc.own, why)
		}
	}
	if CheckPrefixes([]string{"+4", "+49301234"}) != "" || CheckPrefixes([]string{"49"}) == "" || CheckPrefixes([]string{"+"}) == "" || CheckRanges([]string{Satellite}) != "" || CheckRanges([]string{"x"}) == "" {
		t.Error("prefixes and ranges are not distinguished from other texts")
	}
}
