package event

// Hear gives a relay a message of its wire.
func Hear(r *Relay, message string) { r.receive(message) }
