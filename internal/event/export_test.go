package event

// Receive gives a relay a message of its wire.
func Receive(r *Relay, message string) { r.receive(message) }
