/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libmemtrace-allocs.so, which memtrace record --allocs preloads: logs large allocations with their call sites.
 *
 * It allocates nothing, takes no lock (where the C library finds the tables of a frame without one) and calls the next allocator.
 * Until that is known, calloc, which dlsym calls, is served from a buffer that is never freed.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "common/base/clock.h"
#include "memtrace/names/allocs_ring.h"

#define EARLY_BYTES 4096
#define PUBLIC __attribute__((visibility("default")))
/* The return address, without the bits that some processors keep in the upper part of code addresses. */
#define SITE ((uint64_t)(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	int (*brk)(void *);
	void *(*sbrk)(intptr_t);
	size_t (*usable)(void *);
} next;

static struct allocs_ring *ring; /* NULL: nothing is logged */
static char early[EARLY_BYTES] __attribute__((aligned(16)));
static size_t early_used;
static int is_finding;
static uint32_t *own_pid; /* in a page that a fork clears; NULL = not known */

/* A system call for each allocation would cost more than logging. */
static uint32_t own_process(void)
{
	uint32_t pid = own_pid ? __atomic_load_n(own_pid, __ATOMIC_RELAXED) : 0;

	if (!pid) {
		pid = (uint32_t)getpid();
		if (own_pid)
			__atomic_store_n(own_pid, pid, __ATOMIC_RELAXED);
	}
	return pid;
}

/* errno belongs to the caller. */
static void log_at(uint64_t time_ns, enum alloc_kind kind, const void *address, size_t bytes, uint64_t site, uint64_t outer)
{
	int kept = errno;
	struct alloc alloc = {.address = (uint64_t)(uintptr_t)address, .bytes = bytes, .site = site, .outer = outer,
		.time_ns = time_ns, .pid = own_process(), .kind = kind};

	(void)allocs_put(ring, &alloc);
	errno = kept;
}

/* Enough for the frames of this library and the caller's. */
#define FRAMES_MAX 8

struct frames {
	uint64_t site, outer;
	unsigned count;
	bool is_behind; /* the caller's frame was passed */
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *data)
{
	struct frames *frames = data;
	uint64_t ip = (uint64_t)_Unwind_GetIP(context);

	if (frames->is_behind) {
		frames->outer = ip;
		return _URC_NORMAL_STOP;
	}
	frames->is_behind = ip == frames->site;
	return ++frames->count == FRAMES_MAX ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static void log_new(const void *address, size_t bytes, uint64_t site)
{
	struct frames frames = {.site = site};
	uint64_t time_ns;
	int kept = errno;

	if (!ring || !address || bytes < ring->least_bytes)
		return;
	time_ns = clock_ns(CLOCK_MONOTONIC);
	(void)_Unwind_Backtrace(take_frame, &frames);
	log_at(time_ns, ALLOC_NEW, address, bytes, site, frames.outer);
	errno = kept;
}

/* Returns the size of an allocation if it was logged, else 0. The usable size is at least the requested one. */
static size_t logged_bytes(void *address)
{
	size_t bytes = ring && address && next.usable ? next.usable(address) : 0;

	return ring && bytes >= ring->least_bytes ? bytes : 0;
}

static void find(const char *name, void *function)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

static void find_next(void)
{
	if (__atomic_exchange_n(&is_finding, 1, __ATOMIC_ACQUIRE))
		return;
	find("calloc", &next.calloc);
	find("malloc", &next.malloc);
	find("realloc", &next.realloc);
	find("free", &next.free);
	find("posix_memalign", &next.posix_memalign);
	find("aligned_alloc", &next.aligned_alloc);
	find("mmap", &next.mmap);
	find("munmap", &next.munmap);
	find("brk", &next.brk);
	find("sbrk", &next.sbrk);
	find("malloc_usable_size", &next.usable);
}

static void *map_ring(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	struct stat status;
	void *map = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &status) && status.st_size == sizeof(*ring))
		map = next.mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		syscall(SYS_close, fd);
	return map == MAP_FAILED ? NULL : map;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv(ALLOCS_VARIABLE);
	struct allocs_ring *mapped;
	int kept = errno;

	if (!next.free)
		find_next();
	mapped = path && next.mmap ? map_ring(path) : NULL;
	if (mapped && mapped->magic != ALLOCS_MAGIC) {
		next.munmap(mapped, sizeof(*mapped));
		mapped = NULL;
	}
	if (mapped) {
		size_t page = (size_t)sysconf(_SC_PAGESIZE);

		own_pid = next.mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (own_pid == MAP_FAILED || madvise(own_pid, page, MADV_WIPEONFORK))
			own_pid = NULL;
		__atomic_fetch_add(&mapped->processes, 1, __ATOMIC_RELAXED);
	}
	ring = mapped;
	errno = kept;
}

static bool is_early(const void *address)
{
	return (const char *)address >= early && (const char *)address < early + EARLY_BYTES;
}

/* Serves calloc before main, in one thread. The memory is never freed, so it is still zero. */
static void *allocate_early(size_t bytes)
{
	size_t at = early_used;

	if (bytes > EARLY_BYTES - at)
		return NULL;
	early_used += (bytes + 15) & ~(size_t)15;
	if (early_used > EARLY_BYTES)
		early_used = EARLY_BYTES;
	return early + at;
}

/* --- replaced functions --- */

PUBLIC void *malloc(size_t size)
{
	void *address;

	if (!next.malloc)
		find_next();
	address = next.malloc ? next.malloc(size) : allocate_early(size);
	log_new(address, size, SITE);
	return address;
}

PUBLIC void *calloc(size_t nmemb, size_t size)
{
	size_t bytes;
	void *address;

	if (!next.calloc)
		find_next();
	if (__builtin_mul_overflow(nmemb, size, &bytes))
		bytes = SIZE_MAX;
	address = next.calloc ? next.calloc(nmemb, size) : allocate_early(bytes);
	log_new(address, bytes, SITE);
	return address;
}

PUBLIC void free(void *ptr)
{
	size_t bytes;

	if (is_early(ptr))
		return;
	if (!next.free)
		find_next();
	bytes = logged_bytes(ptr);
	if (bytes)
		log_at(clock_ns(CLOCK_MONOTONIC), ALLOC_FREE, ptr, bytes, 0, 0);
	if (next.free)
		next.free(ptr);
}

PUBLIC void *realloc(void *ptr, size_t size)
{
	uint64_t begun_ns;
	size_t before;
	void *moved;

	if (!next.realloc)
		find_next();
	if (is_early(ptr)) {
		size_t most = (size_t)(early + EARLY_BYTES - (char *)ptr);

		moved = malloc(size);
		if (moved)
			memcpy(moved, ptr, size < most ? size : most);
		return moved;
	}
	before = logged_bytes(ptr);
	begun_ns = before ? clock_ns(CLOCK_MONOTONIC) : 0;
	moved = next.realloc ? next.realloc(ptr, size) : NULL;
	/* If realloc fails the memory is still allocated. */
	if (before && (moved || !size))
		log_at(begun_ns, ALLOC_FREE, ptr, before, 0, 0);
	log_new(moved, size, SITE);
	return moved;
}

PUBLIC int posix_memalign(void **memptr, size_t alignment, size_t size)
{
	int err;

	if (!next.posix_memalign)
		find_next();
	err = next.posix_memalign ? next.posix_memalign(memptr, alignment, size) : ENOMEM;
	if (!err)
		log_new(*memptr, size, SITE);
	return err;
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
	void *address;

	if (!next.aligned_alloc)
		find_next();
	address = next.aligned_alloc ? next.aligned_alloc(alignment, size) : NULL;
	log_new(address, size, SITE);
	return address;
}

static void *map_logged(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset, uint64_t site)
{
	void *address;

	if (!next.mmap)
		find_next();
	if (!next.mmap) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	address = next.mmap(hint, bytes, protection, flags, fd, offset);
	if (address != MAP_FAILED)
		log_new(address, bytes, site);
	return address;
}

PUBLIC void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return map_logged(addr, len, prot, flags, fd, offset, SITE);
}

#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 8
PUBLIC void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return map_logged(addr, len, prot, flags, fd, offset, SITE);
}
#endif

/* A part of a logged mapping may be smaller than least_bytes. */
PUBLIC int munmap(void *addr, size_t len)
{
	uint64_t begun_ns = ring ? clock_ns(CLOCK_MONOTONIC) : 0;
	int rc = next.munmap ? next.munmap(addr, len) : -1;

	if (!rc && ring)
		log_at(begun_ns, ALLOC_FREE, addr, len, 0, 0);
	return rc;
}

static void log_break(uint64_t begun_ns, const char *before, const char *after, uint64_t site)
{
	if (after > before)
		log_new(before, (size_t)(after - before), site);
	else if (after < before && ring)
		log_at(begun_ns, ALLOC_FREE, after, (size_t)(before - after), 0, 0);
}

PUBLIC int brk(void *addr)
{
	uint64_t begun_ns = ring ? clock_ns(CLOCK_MONOTONIC) : 0;
	char *before = next.sbrk ? next.sbrk(0) : NULL;
	int rc = next.brk ? next.brk(addr) : -1;

	if (!rc && before)
		log_break(begun_ns, before, addr, SITE);
	return rc;
}

PUBLIC void *sbrk(intptr_t delta)
{
	uint64_t begun_ns = ring ? clock_ns(CLOCK_MONOTONIC) : 0;
	char *before = next.sbrk ? next.sbrk(delta) : (void *)-1;

	if (before != (void *)-1)
		log_break(begun_ns, before, before + delta, SITE);
	return before;
}
