package routing

// CallFacts are what templates and conditions see of the call, as {{call.<name>}}; "" for what is not known.
type CallFacts struct {
	PhoneNumber string // E.164; of an outbound call also an extension or SIP URI
	From        string // of an inbound call, as the network wrote it: a number, extension or user
	CallerName  string
	Verstat     string // of STIR/SHAKEN
	Attestation string // A, B or C
}

// Scope returns the facts by the names of templates; null for what is not known.
func (f CallFacts) Scope() map[string]any {
	scope := map[string]any{}
	for name, text := range map[string]string{
		"phone_number": f.PhoneNumber, "from": f.From, "caller_name": f.CallerName, "verstat": f.Verstat, "attestation": f.Attestation,
	} {
		scope[name] = nil
		if text != "" {
			scope[name] = text
		}
	}
	return scope
}
