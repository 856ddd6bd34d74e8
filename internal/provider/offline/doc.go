// Package offline hears, thinks and speaks without any vendor: Debian's
// pocketsphinx and flite, and a language model that follows a script. It is
// for the demo and for tests, and is labelled so wherever it can be chosen.
//
// # Processes
//
// pocketsphinx ends the process that holds it when a model is damaged, and
// neither library is safe for many voices at once. So each runs in a process of
// its own, supervised from here: one that dies is replaced, and hears again
// what the dead one had not answered.
//
// Parley stays one binary all the same. The process is this very executable,
// started again with PARLEY_SPEECH_PROCESS=listen or speak and the name
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
// # Hearing
//
// Each call has a small process (15 MB) that knows the sentences of
// grammar.jsgf only and has understood a sentence as soon as it is said. When
// the sound does not fit them, one of a few large processes (105 MB, started
// on first need) hears the same audio with an open language model, from the
// moment of doubt on: see hypothesis.go for the scores and recognition.go for
// the course. A sentence that broke off is heard again together with what
// follows within a moment: see continuation.go.
//
// # Speaking
//
// A process a voice makes speech some fifty times faster than it is spoken, so
// calls share them: see pool.go.
package offline
