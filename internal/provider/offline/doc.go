// Package offline provides a recogniser, a synthesiser and a language model without any vendor: Debian's
// pocketsphinx and flite, and a language model that follows a script. It is
// for the demo and for tests, and is labelled so wherever it can be chosen.
//
// # Processes
//
// pocketsphinx ends the process that holds it when a model is damaged, and
// neither library is safe for concurrent use. So each runs in a separate process,
// supervised from here: one that dies is replaced, and the audio without a result
// is sent again.
//
// Parley is one binary nevertheless. The process is this executable, started
// with PARLEY_SPEECH_PROCESS=listen or speak and the name
// parley-speech: a C constructor (entry.c) runs before the Go runtime, serves
// its pipes (listen.c, speak.c) and never starts Go. It loads the libraries
// with dlopen, so that the binary needs neither of them where agents use other
// providers; only their headers are needed to build. Debian's packages:
//
//	to build: libpocketsphinx-dev libsphinxbase-dev flite1-dev
//	to run:   pocketsphinx pocketsphinx-en-us flite
//
// A speech process ends when its input is closed, and the kernel ends it when
// Parley is killed.
//
// # Recognition
//
// Each call has a small process (15 MB) that recognises the sentences of
// grammar.jsgf only, without delay. When the audio does not match them, one of
// a few large processes (105 MB, started on first use) recognises the same
// audio with an open language model: see hypothesis.go for the scores and
// recognition.go for the procedure. An incomplete sentence is recognised again
// together with speech that follows shortly: see continuation.go.
//
// # Synthesis
//
// One process per voice synthesises some fifty times faster than real time, so
// calls share them: see pool.go.
package offline
