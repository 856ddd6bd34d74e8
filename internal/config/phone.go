package config

import "regexp"

// numberForm is the form of E.164 numbers.
var numberForm = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// checkPhone validates the settings of phone calls.
func (s *Server) checkPhone() error {
	for _, number := range s.SIPOpenNumbers {
		if !numberForm.MatchString(number) {
			return wrong("PARLEY_SIP_OPEN_NUMBERS", "%q is no E.164 number such as +4930123456", number)
		}
	}
	if s.SIPTLSCert != "" && s.SIPTLSKey == "" {
		return wrong("PARLEY_SIP_TLS_KEY", "is missing beside PARLEY_SIP_TLS_CERT")
	}
	if s.SIPTLSKey != "" && s.SIPTLSCert == "" {
		return wrong("PARLEY_SIP_TLS_CERT", "is missing beside PARLEY_SIP_TLS_KEY")
	}
	for _, limit := range []struct {
		variable string
		n        int
	}{
		{"PARLEY_SIP_CALLS_PER_NUMBER", s.SIPCallsPerNumber}, {"PARLEY_SIP_CALLS_PER_TRUNK", s.SIPCallsPerTrunk},
		{"PARLEY_SIP_CALLS_PER_TENANT", s.SIPCallsPerTenant}, {"PARLEY_SIP_CALLS_PER_ADDRESS", s.SIPCallsPerAddress},
		{"PARLEY_SIP_NEW_CALLS_PER_NUMBER", s.SIPNewCallsPerNumber}, {"PARLEY_SIP_NEW_CALLS_PER_TENANT", s.SIPNewCallsPerTenant}, {"PARLEY_SIP_NEW_CALLS_PER_ADDRESS", s.SIPNewCallsPerAddress},
		{"PARLEY_SIP_OUTBOUND_AT_ONCE", s.SIPOutboundAtOnce}, {"PARLEY_SIP_OUTBOUND_PER_MINUTE", s.SIPOutboundPerMinute}, {"PARLEY_SIP_OUTBOUND_PER_DAY", s.SIPOutboundPerDay},
	} {
		if limit.n < 0 {
			return wrong(limit.variable, "%d is no number of calls, want 0 or more", limit.n)
		}
	}
	return nil
}
