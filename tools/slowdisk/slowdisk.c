/*
 * Doubles the latency of the disk for a process and its children:
 *
 *     cc -shared -fPIC -O2 -o slowdisk.so slowdisk.c -ldl
 *     LD_PRELOAD=$PWD/slowdisk.so make test
 *
 * Each read, write and flush of a regular file through the C library takes
 * twice as long as the file system needed for it, and a flush at least 2 ms
 * longer.
 * That covers PostgreSQL, Redis, SQLite and Chromium; Go's own file operations
 * do not go through the C library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static const long shortest_flush = 2000000; /* ns */

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void wait_again(int fd, long begun, long shortest)
{
	struct stat s;
	int saved = errno;
	long passed = now() - begun;

	if (passed < shortest)
		passed = shortest;
	/* What the page cache serves is no disk. */
	if (passed >= 100000 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
		struct timespec t = {passed / 1000000000L, passed % 1000000000L};
		nanosleep(&t, NULL);
	}
	errno = saved;
}

#define SLOWED(type, name, shortest, parameters, arguments)              \
	type name parameters                                             \
	{                                                                \
		static type(*real) parameters;                           \
		if (!real)                                               \
			real = dlsym(RTLD_NEXT, #name);                  \
		long begun = now();                                      \
		type result = real arguments;                            \
		wait_again(fd, begun, shortest);                         \
		return result;                                           \
	}

SLOWED(int, fsync, shortest_flush, (int fd), (fd))
SLOWED(int, fdatasync, shortest_flush, (int fd), (fd))
SLOWED(ssize_t, pread64, 0, (int fd, void *b, size_t n, off_t at), (fd, b, n, at))
SLOWED(ssize_t, pwrite64, 0, (int fd, const void *b, size_t n, off_t at), (fd, b, n, at))
