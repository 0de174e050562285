/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generated code of a running program, which is in no file: the bytes are read from the process, and the beginnings of the
 * functions from /tmp/perf-PID.map, which node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, python -X perf and others write
 * for perf. Without that file it is not decoded. The code is read after the sample was taken: it is assumed that a function is
 * not replaced by another one within that time.
 */
#ifndef MEMTRACE_CODE_JIT_H
#define MEMTRACE_CODE_JIT_H

#include <stdint.h>

#include "memtrace/code/image.h"

struct jit;

/* root is as in common/base/sysfs.h. Returns 0 or -ENOMEM. */
int jit_new(const char *root, struct jit **jit);
/* Returns the code of the function of this process around an address, or NULL if it is not known; it is valid until the next call.
 * Offsets in the image are addresses of the process. */
struct image *jit_image(struct jit *jit, uint32_t pid, uint64_t address);
void jit_free(struct jit *jit);

#endif
