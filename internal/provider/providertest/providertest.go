// Package providertest is the conformance suite of providers: one suite per kind, run on each vendor's client
// against the emulator of its protocol.
package providertest
