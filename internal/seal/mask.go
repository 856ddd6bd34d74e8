package seal

import (
	"maps"
	"net/textproto"
	"slices"

	"parley/internal/fault"
)

// Masked stands for a sealed value, such as that of a custom header, in answers.
// Sent back, it keeps the value that is stored.
const Masked = "********"

// MaskHeaders returns headers with Masked for their values.
func MaskHeaders(headers map[string]string) map[string]string {
	masked := make(map[string]string, len(headers))
	for name := range headers {
		masked[name] = Masked
	}
	return masked
}

// UnmaskHeaders returns headers that were given, with the stored values of those
// that are masked. moved names what changes of where they are sent, "" for
// nothing: stored values do not go along, they must be given again.
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

// header is the value of a header in any case of its name.
func header(headers map[string]string, name string) (value string, known bool) {
	for stored, value := range headers {
		if textproto.CanonicalMIMEHeaderKey(stored) == textproto.CanonicalMIMEHeaderKey(name) {
			return value, true
		}
	}
	return "", false
}
