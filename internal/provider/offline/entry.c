// What runs instead of Go when this executable is started as a speech process.
#include "speech.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The pipes to the parent. Standard output itself is closed to the libraries,
// so that a message one of them prints cannot break the framing.
static int from_parent = STDIN_FILENO;
static int to_parent = -1;

static int read_all(void *buffer, size_t size) {
  char *at = buffer;
  while (size > 0) {
    ssize_t n = read(from_parent, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += n;
    size -= (size_t)n;
  }
  return 1;
}

static void write_all(const void *buffer, size_t size) {
  const char *at = buffer;
  while (size > 0) {
    ssize_t n = write(to_parent, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(0);
    at += n;
    size -= (size_t)n;
  }
}

static uint32_t little_endian(const unsigned char *b) {
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

int read_frame(frame *f) {
  static char *buffer;
  static uint32_t capacity;
  unsigned char head[5];
  if (!read_all(head, sizeof head)) return 0;
  uint32_t size = little_endian(head + 1);
  if (size > FRAME_MAX) give_up("read a frame", "it is too long");
  if (size + 1 > capacity) {
    capacity = size + 1;
    buffer = realloc(buffer, capacity);
    if (buffer == NULL) give_up("read a frame", "no memory");
  }
  if (!read_all(buffer, size)) return 0;
  buffer[size] = 0;
  f->kind = (char)head[0];
  f->size = size;
  f->payload = buffer;
  return 1;
}

void write_frame(char kind, const void *payload, uint32_t size) {
  unsigned char head[5] = {(unsigned char)kind, size & 255, size >> 8 & 255, size >> 16 & 255, size >> 24};
  write_all(head, sizeof head);
  write_all(payload, size);
}

void give_up(const char *what, const char *why) {
  char text[512];
  size_t n = 0;
  const char *parts[] = {what, ": ", why ? why : "unknown"};
  for (int i = 0; i < 3; i++)
    for (const char *c = parts[i]; *c && n < sizeof text; c++) text[n++] = *c;
  write_frame('E', text, (uint32_t)n);
  _exit(1);
}

void *open_library(const char *name) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
  if (library == NULL) give_up("load library", dlerror());
  return library;
}

void *find_symbol(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) give_up("load library", dlerror());
  return symbol;
}

// enter runs before the Go runtime. glibc hands constructors the arguments of
// main. The variable alone is not enough: an operator who exports it by
// mistake still gets a server.
__attribute__((constructor)) static void enter(int argc, char **argv, char **environment) {
  (void)environment;
  const char *mode = getenv("PARLEY_SPEECH_PROCESS");
  if (mode == NULL || argc < 1 || strcmp(argv[0], "parley-speech") != 0) return;
  // A terminal's Ctrl-C and a service manager's stop reach the whole group;
  // calls are drained then, and need their speech. The parent's end counts.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  to_parent = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  if (to_parent < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) _exit(1);
  if (strcmp(mode, "listen") == 0) listen_loop(argc, argv);
  if (strcmp(mode, "speak") == 0) speak_loop(argc, argv);
  _exit(0);
}
