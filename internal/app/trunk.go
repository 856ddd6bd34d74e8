package app

import (
	"errors"
	"strings"

	"parley/internal/config"
	"parley/internal/fault"
	"parley/internal/sip"
	"parley/internal/tenant"
)

// trunkVariables are the settings of the platform's trunk by field.
var trunkVariables = map[string]string{
	"address": "PARLEY_SIP_TRUNK_ADDRESS", "transport": "PARLEY_SIP_TRUNK_TRANSPORT", "username": "PARLEY_SIP_TRUNK_USERNAME",
	"password": "PARLEY_SIP_TRUNK_PASSWORD", "caller_id": "PARLEY_SIP_TRUNK_CALLER_ID", "media_encryption": "PARLEY_SIP_TRUNK_MEDIA_ENCRYPTION",
	"default_country": "PARLEY_SIP_TRUNK_DEFAULT_COUNTRY",
}

// platformTrunk returns the platform's trunk, nil if none is configured. Errors name the setting.
func platformTrunk(c config.Server) (*sip.TrunkDraft, error) {
	if c.SIPTrunkAddress == "" {
		for field, value := range map[string]string{"username": c.SIPTrunkUsername, "password": c.SIPTrunkPassword, "caller_id": c.SIPTrunkCallerID, "default_country": c.SIPTrunkDefaultCountry} {
			if value != "" {
				return nil, &config.Error{Variable: trunkVariables["address"], Problem: "is required with " + trunkVariables[field]}
			}
		}
		if len(c.SIPTrunkAllowedAddresses) > 0 {
			return nil, &config.Error{Variable: trunkVariables["address"], Problem: "is required with PARLEY_SIP_TRUNK_ALLOWED_ADDRESSES"}
		}
		return nil, nil
	}
	d := &sip.TrunkDraft{Name: "platform", Address: c.SIPTrunkAddress, Transport: sip.Transport(c.SIPTrunkTransport),
		Username: optional(c.SIPTrunkUsername), Password: optional(c.SIPTrunkPassword), CallerID: optional(c.SIPTrunkCallerID),
		AllowedAddresses: c.SIPTrunkAllowedAddresses, MediaEncryption: sip.MediaEncryption(c.SIPTrunkMediaEncryption),
		CallSettings: sip.CallSettings{DefaultCountry: optional(c.SIPTrunkDefaultCountry)}}
	var f *fault.Error
	if errors.As(d.Check(), &f) {
		field, _, item := strings.Cut(f.Details[0].Field, "[")
		if item {
			return nil, &config.Error{Variable: "PARLEY_SIP_TRUNK_ALLOWED_ADDRESSES", Problem: "an item " + f.Details[0].Message}
		}
		return nil, &config.Error{Variable: trunkVariables[field], Problem: f.Details[0].Message}
	}
	return d, nil
}

// optional returns a text, nil for "".
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// phoneLimits returns the platform's limits of outbound phone calls. Errors name the setting.
func phoneLimits(c config.Server) (tenant.PhoneLimits, error) {
	if why := tenant.CheckPrefixes(c.SIPOutboundPrefixes); why != "" {
		return tenant.PhoneLimits{}, &config.Error{Variable: "PARLEY_SIP_OUTBOUND_PREFIXES", Problem: why}
	}
	if sandbox := (sip.TrunkDraft{Name: "sandbox", Address: c.SIPSandboxAddress}); c.SIPSandboxAddress != "" && sandbox.Check() != nil {
		return tenant.PhoneLimits{}, &config.Error{Variable: "PARLEY_SIP_SANDBOX_ADDRESS", Problem: "must be host or host:port"}
	}
	if why := tenant.CheckRanges(c.SIPOutboundRanges); why != "" {
		return tenant.PhoneLimits{}, &config.Error{Variable: "PARLEY_SIP_OUTBOUND_RANGES", Problem: why}
	}
	return tenant.PhoneLimits{Prefixes: c.SIPOutboundPrefixes, Ranges: c.SIPOutboundRanges,
		AtOnce: c.SIPOutboundAtOnce, PerMinute: c.SIPOutboundPerMinute, PerDay: c.SIPOutboundPerDay}, nil
}
