// The two speech programs that run in a process of their own. See doc.go.
#ifndef PARLEY_SPEECH_H
#define PARLEY_SPEECH_H

#include <stdint.h>

// A frame on a pipe: one byte of kind, four bytes of length (little endian),
// then the payload.
#define FRAME_MAX (1 << 20)

typedef struct {
  char kind;
  uint32_t size;
  char *payload; // size bytes and a terminating zero; valid until the next read
} frame;

// read_frame waits for the next frame; it returns 0 when the parent is gone.
int read_frame(frame *f);
// write_frame ends the process when the parent is gone.
void write_frame(char kind, const void *payload, uint32_t size);
// give_up tells the parent why this process cannot work, and ends it.
void give_up(const char *what, const char *why) __attribute__((noreturn));
// open_library loads a shared library so that its symbols serve later ones.
void *open_library(const char *name);
// find_symbol returns an address or gives up.
void *find_symbol(void *library, const char *name);

// The programs. They return when the parent closes their standard input.
void listen_loop(int argc, char **argv);
void speak_loop(int argc, char **argv);

#endif
