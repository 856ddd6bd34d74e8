package seal

import (
	"maps"
	"net/textproto"
	"slices"

	"parley/internal/fault"
)

// Masked replaces encrypted values, such as those of custom headers, in responses. In a request it keeps the stored
// value.
const Masked = "********"

// MaskHeaders returns headers with Masked for their values.
func MaskHeaders(headers map[string]string) map[string]string {
	masked := make(map[string]string, len(headers))
	for name := range headers {
		masked[name] = Masked
	}
	return masked
}

// UnmaskHeaders returns the given headers with the stored values of the masked ones. moved names what changes of
// their destination, "" for nothing: stored values must then be given again.
func UnmaskHeaders(given, stored map[string]string, moved string) (headers map[string]string, faults []fault.Detail) {
	headers = maps.Clone(given)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] != Masked {
			continue
		}
		value, known := header(stored, name)
		switch {
		case !known:
			faults = append(faults, fault.Detail{Field: "headers." + name, Message: "is masked, and no value is stored: give the value itself"})
		case moved != "":
			faults = append(faults, fault.Detail{Field: "headers." + name, Message: "must be given again, or removed with null, for " + moved + " changes"})
		}
		headers[name] = value
	}
	return headers, faults
}

// header returns the value of a header in any case of its name.
func header(headers map[string]string, name string) (value string, known bool) {
	for stored, value := range headers {
		if textproto.CanonicalMIMEHeaderKey(stored) == textproto.CanonicalMIMEHeaderKey(name) {
			return value, true
		}
	}
	return "", false
}
