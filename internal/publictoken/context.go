package publictoken

import (
	"encoding/json"
	"maps"
	"slices"

	"parley/internal/fault"
)

// CheckContext returns the errors of a user_context, a JSON object or nil: it has keys of the token alone.
func (t *Token) CheckContext(userContext []byte) error {
	if len(userContext) == 0 {
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(userContext, &values); err != nil {
		return fault.Invalid([]fault.Detail{{Field: "user_context", Message: "must be an object"}})
	}
	var faults []fault.Detail
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(t.UserContextKeys, key) {
			faults = append(faults, fault.Detail{Field: "user_context." + key, Message: "the public token does not allow this key"})
		}
	}
	return fault.Invalid(faults)
}
