package sip

// maxUnacknowledged limits the calls of an address that were answered and whose ACK has not come; the user agent awaits it for 32 s
// (RFC 3261 13.3.1.4). An address that is not the sender's own receives no answer and acknowledges none: over UDP, anybody can write it
// into an INVITE.
const maxUnacknowledged = 10

// unacknowledgedQuota is the limit of calls that were answered and not acknowledged.
func unacknowledgedQuota(address string) quota {
	return quota{"unacknowledged of " + address, maxUnacknowledged}
}
