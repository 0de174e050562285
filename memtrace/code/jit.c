/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/code/jit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/input.h"
#include "common/base/sysfs.h"
#include "memtrace/file/read_at.h"
#include "memtrace/file/search.h"

#define MAP_BYTES_MAX (256ull << 20)
#define PIECE_BYTES (1u << 20)      /* bytes of the map that are read at once */
#define FUNCTION_BYTES_MAX (1u << 20)
#define STATUS_BYTES_MAX (64u << 10)
#define PROCESSES 16
#define IMAGES 256

struct function {
	uint64_t begin, size;
	uint64_t line; /* of two functions at one address the one on the later line is there */
};

struct jit_map { /* of a process */
	uint32_t pid;           /* 0 = none */
	uint64_t read_bytes, lines;
	struct function *functions; /* sorted by begin and line */
	size_t count, capacity;
};

struct method_code {
	uint32_t pid;
	uint64_t begin, size;
	uint8_t *bytes;
	struct image *image;
};

struct jit {
	const char *root;
	struct jit_map maps[PROCESSES];
	struct method_code codes[IMAGES];
	uint8_t buffer[FUNCTION_BYTES_MAX];
};

int jit_new(const char *root, struct jit **jit)
{
	*jit = calloc(1, sizeof(**jit));
	if (!*jit)
		return -ENOMEM;
	(*jit)->root = root;
	return 0;
}

static void drop_code(struct method_code *code)
{
	image_close(code->image);
	free(code->bytes);
	*code = (struct method_code){0};
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	for (size_t i = 0; i < PROCESSES; i++)
		free(jit->maps[i].functions);
	for (size_t i = 0; i < IMAGES; i++)
		drop_code(&jit->codes[i]);
	free(jit);
}

/* --- the map --- */

static int compare_functions(const void *a, const void *b)
{
	const struct function *one = a, *other = b;

	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	return (one->line > other->line) - (one->line < other->line);
}

/* Parses "BEGIN SIZE NAME", both numbers hexadecimal. Other lines are ignored, as perf does. */
static int add_line(struct jit_map *map, const char *line)
{
	struct function function = {.line = map->lines++};
	char *end;

	errno = 0;
	function.begin = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	line = end + 1;
	function.size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || errno || !function.size || function.size > FUNCTION_BYTES_MAX ||
		function.begin + function.size < function.begin)
		return 0;
	if (arena_grow(&map->functions, &map->capacity, map->count, sizeof(*map->functions)))
		return -ENOMEM;
	map->functions[map->count++] = function;
	return 0;
}

/* Reads the appended text, up to the last whole line. */
static int read_lines(struct jit_map *map, int fd, uint64_t size)
{
	char *piece = malloc(PIECE_BYTES + 1);
	int err = piece ? 0 : -ENOMEM;

	while (!err && map->read_bytes < size) {
		size_t bytes = size - map->read_bytes < PIECE_BYTES ? (size_t)(size - map->read_bytes) : PIECE_BYTES;
		char *at = piece, *end;

		err = read_at(fd, map->read_bytes, piece, bytes);
		if (err)
			break;
		piece[bytes] = '\0';
		while (!err && (end = memchr(at, '\n', bytes - (size_t)(at - piece)))) {
			*end = '\0';
			err = add_line(map, at);
			at = end + 1;
		}
		/* A line is shorter than a piece. */
		if (at == piece)
			break;
		map->read_bytes += (uint64_t)(at - piece);
	}
	free(piece);
	return err;
}

/* Returns the number of the process in its own namespace, which the name of its map contains. */
static uint32_t own_number(const char *root, uint32_t pid)
{
	uint64_t number = pid;
	const char *at;
	char *text;
	size_t length;

	if (sysfs_slurp(root, SYSFS_PATH("/proc/%u/status", pid), STATUS_BYTES_MAX, &text, &length))
		return pid;
	/* The last number is the process's own. */
	at = sysfs_field(text, "NSpid");
	while (at && *at && *at != '\n') {
		const char *next = sysfs_scan_u64(at, &number);

		at = next ? next : at + 1;
	}
	free(text);
	return (uint32_t)number;
}

/* Any user can write to the folder, so the file must be the process's, as for perf. */
static bool is_owned(const char *root, uint32_t pid, const struct stat *file)
{
	struct stat process;
	char path[4096];

	snprintf(path, sizeof(path), "%s/proc/%u", root, pid);
	return !stat(path, &process) && file->st_uid == process.st_uid;
}

static struct jit_map *map_of(struct jit *jit, uint32_t pid)
{
	struct jit_map *map = &jit->maps[pid % PROCESSES];
	char path[4096];
	struct stat status;
	uint64_t size;
	int fd;

	if (map->pid != pid) {
		free(map->functions);
		*map = (struct jit_map){.pid = pid};
	}
	snprintf(path, sizeof(path), "%s/proc/%u/root/tmp/perf-%u.map", jit->root, pid, own_number(jit->root, pid));
	if (input_open(path, MAP_BYTES_MAX, &fd, &size))
		return map;
	/* A shorter file has been started anew. */
	if (size < map->read_bytes)
		map->count = map->read_bytes = 0;
	if (size > map->read_bytes && !fstat(fd, &status) && is_owned(jit->root, pid, &status)) {
		size_t before = map->count;

		if (read_lines(map, fd, size))
			map->count = before;
		if (map->count != before)
			qsort(map->functions, map->count, sizeof(*map->functions), compare_functions);
	}
	close(fd);
	return map;
}

/* --- code --- */

static bool read_process(uint32_t pid, uint64_t address, void *bytes, size_t size)
{
	struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};

	return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

struct image *jit_image(struct jit *jit, uint32_t pid, uint64_t address)
{
	const struct jit_map *map = map_of(jit, pid);
	size_t next = SEARCH(map->count, i, map->functions[i].begin <= address);
	const struct function *function = next ? &map->functions[next - 1] : NULL;
	struct method_code *code;

	if (!function || address - function->begin >= function->size)
		return NULL;
	if (!read_process(pid, function->begin, jit->buffer, function->size))
		return NULL;
	code = &jit->codes[(function->begin >> 5 ^ pid) % IMAGES];
	if (code->pid == pid && code->begin == function->begin && code->size == function->size &&
		!memcmp(code->bytes, jit->buffer, function->size))
		return code->image;
	drop_code(code);
	code->bytes = malloc(function->size);
	if (!code->bytes || image_from_code(function->begin, jit->buffer, function->size, &code->image)) {
		drop_code(code);
		return NULL;
	}
	memcpy(code->bytes, jit->buffer, function->size);
	code->pid = pid;
	code->begin = function->begin;
	code->size = function->size;
	return code->image;
}
