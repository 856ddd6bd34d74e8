// Package providertest proves that providers keep their contracts: one suite a
// kind, run over each vendor's implementation against the emulator of its wire.
package providertest
