package offline

// The C files of this folder need the headers of flite and pocketsphinx, and
// dlopen: neither is linked, so that the binary runs on a machine
// that has neither.

// #cgo CFLAGS: -O2 -Wall -I/usr/include/pocketsphinx
// #cgo CFLAGS: -I/usr/include/x86_64-linux-gnu/sphinxbase -I/usr/include/aarch64-linux-gnu/sphinxbase
// #cgo LDFLAGS: -ldl
// #include "speech.h"
import "C"

// frameMax is the longest payload of a message to a speech process, in bytes.
const frameMax = C.FRAME_MAX
