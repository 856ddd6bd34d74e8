package app

import (
	"errors"
	"testing"

	"parley/internal/config"
	"parley/internal/sip"
)

func TestPlatformTrunk(t *testing.T) {
	for name, test := range map[string]struct {
		config config.Server
		wrong  string
	}{
		"none":              {config.Server{SIPTrunkTransport: "udp"}, ""},
		"password alone":    {config.Server{SIPTrunkPassword: "p"}, "PARLEY_SIP_TRUNK_ADDRESS"},
		"address":           {config.Server{SIPTrunkAddress: "sip:a"}, "PARLEY_SIP_TRUNK_ADDRESS"},
		"transport":         {config.Server{SIPTrunkAddress: "a", SIPTrunkTransport: "sctp"}, "PARLEY_SIP_TRUNK_TRANSPORT"},
		"caller id":         {config.Server{SIPTrunkAddress: "a", SIPTrunkCallerID: "030"}, "PARLEY_SIP_TRUNK_CALLER_ID"},
		"country":           {config.Server{SIPTrunkAddress: "a", SIPTrunkDefaultCountry: "Germany"}, "PARLEY_SIP_TRUNK_DEFAULT_COUNTRY"},
		"country alone":     {config.Server{SIPTrunkDefaultCountry: "DE"}, "PARLEY_SIP_TRUNK_ADDRESS"},
		"control character": {config.Server{SIPTrunkAddress: "a", SIPTrunkUsername: "a\n"}, "PARLEY_SIP_TRUNK_USERNAME"},
	} {
		trunk, err := platformTrunk(test.config)
		var wrong *config.Error
		if errors.As(err, &wrong); trunk != nil || (err == nil) != (test.wrong == "") || wrong != nil && wrong.Variable != test.wrong {
			t.Errorf("%s: %+v, %v", name, trunk, err)
		}
	}
	trunk, err := platformTrunk(config.Server{SIPTrunkAddress: "sip.example.com:5061", SIPTrunkTransport: "tls", SIPTrunkPassword: "p"})
	if err != nil || trunk.Address != "sip.example.com:5061" || trunk.Transport != sip.TLS || trunk.Username != nil || *trunk.Password != "p" {
		t.Errorf("got %+v, %v", trunk, err)
	}
}
